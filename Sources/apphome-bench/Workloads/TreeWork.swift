import SystemPackage

/// What programs do with a source tree of a few thousand files. Each sample is one run of the program.
extension Workload {
    /// An archive is unpacked.
    static let untar = tree(
        "untar",
        run: { (arena) throws(Errno) in try unpackTree(arena) },
        reset: { (arena) throws(Errno) in try deleteTree(arena) })

    /// A word that is nowhere is looked for in every file: no early end, and nothing printed.
    static let grep = tree(
        "grep -r", setUp: readyForGrep, run: { (arena) throws(Errno) in try searchTree(arena) },
        tearDown: { (arena) throws(Errno) in try deleteTree(arena) })

    /// The same for the first time.
    static let grepCold = tree(
        "grep -r cold", isCold: true, setUp: { (arena) throws(Errno) in try unpackTree(arena) },
        prepare: { (_) throws(Errno) in
            try KernelCaches.drop()
            // The program itself is not what is read for the first time.
            try Program.grep.run(["--version"])
        },
        run: { (arena) throws(Errno) in try searchTree(arena) },
        tearDown: { (arena) throws(Errno) in try deleteTree(arena) })

    /// Files above a length are looked for: every file is looked at.
    static let find = tree(
        "find",
        setUp: { (arena) throws(Errno) in
            try unpackTree(arena)
            try findLarge(arena)
        },
        run: { (arena) throws(Errno) in try findLarge(arena) },
        tearDown: { (arena) throws(Errno) in try deleteTree(arena) })

    /// The tree is removed.
    static let removeTree = tree(
        "rm -rf",
        prepare: { (arena) throws(Errno) in try unpackTree(arena) },
        run: { (arena) throws(Errno) in try deleteTree(arena) })

    /// `git status` in a clone in which nothing has changed.
    static let gitStatus = tree(
        "git status",
        setUp: { (arena) throws(Errno) in
            // Git clears the settings of the one that reads the repository, which is another user's.
            let reader = "git -c 'safe.directory=*' upload-pack"
            let source = try sourceTree(arena).repository
            try arena.run(.git, ["clone", "-q", "--no-local", "-u", reader, source, clonePath(arena)])
            // The first refreshes what the index knows of the files.
            try showStatus(arena)
        },
        run: { (arena) throws(Errno) in try showStatus(arena) },
        tearDown: { (arena) throws(Errno) in try arena.run(.remove, ["-rf", "--", clonePath(arena)]) })

    private static func tree(
        _ name: String, isCold: Bool = false, setUp: @escaping Step = { _ throws(Errno) in },
        prepare: @escaping Step = { _ throws(Errno) in }, run: @escaping Step,
        reset: @escaping Step = { _ throws(Errno) in }, tearDown: @escaping Step = { _ throws(Errno) in }
    ) -> Workload {
        Workload(
            name: name, measure: .millisecondsPerRun, isCold: isCold, unitCount: { _ in 1 }, setUp: setUp,
            prepare: prepare, run: run, reset: reset, tearDown: tearDown)
    }
}

private let readyForGrep: Workload.Step = { (arena) throws(Errno) in
    try unpackTree(arena)
    try searchTree(arena)
}

private func sourceTree(_ arena: Arena) throws(Errno) -> SourceTree {
    guard let source = arena.source else { throw .noSuchFileOrDirectory }
    return source
}

private func treePath(_ arena: Arena) -> String { "\(arena.path)/\(SourceTree.name)" }
private func clonePath(_ arena: Arena) -> String { "\(arena.path)/clone" }

/// As an ordinary user's tar does it, for root too.
private func unpackTree(_ arena: Arena) throws(Errno) {
    try arena.run(.tar, ["-C", arena.path, "--no-same-owner", "-xf", try sourceTree(arena).archive])
}

private func searchTree(_ arena: Arena) throws(Errno) {
    try arena.run(.grep, ["-r", SourceTree.absentWord, treePath(arena)], expecting: 1)
}

private func findLarge(_ arena: Arena) throws(Errno) {
    try arena.run(.find, [treePath(arena), "-type", "f", "-size", "+32k"])
}

private func deleteTree(_ arena: Arena) throws(Errno) {
    try arena.run(.remove, ["-rf", "--", treePath(arena)])
}

private func showStatus(_ arena: Arena) throws(Errno) {
    try arena.run(.git, ["-C", clonePath(arena), "status", "--porcelain"])
}

import CLinux
import FuseKit
import Glibc
import HomeFiles
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

/// What the home's mount tells sync of what programs do in it.
@Suite struct ChangeFeedTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// Below Documents.
        let expected: Set<String>
        /// Both run in Documents.
        var before: @Sendable (String) throws -> Void = { _ in }
        let call: @Sendable (String) throws -> Void

        var testDescription: String { name }
    }

    @Test(arguments: cases, Passthrough.isPermitted ? [DataPath.splice, .passthrough] : [.splice])
    func anOperationTellsItsPathsAndNoOther(_ item: Case, data: DataPath) throws {
        let mounted = try MountedHome(data: data)
        try item.before(mounted.documents)
        mounted.waitForLastRequest()
        let listener = Counter()
        try mounted.tree.watchChanges(listener)
        defer { mounted.tree.stopWatchingChanges() }
        try item.call(mounted.documents)
        var seen = Set<String>()
        _ = eventually {
            seen.formUnion(mounted.changedPaths())
            return seen.isSuperset(of: item.expected)
        }
        mounted.waitForLastRequest()
        seen.formUnion(mounted.changedPaths())
        #expect(seen == item.expected)
        #expect(item.expected.isEmpty == (listener.count == 0))
    }

    @Test(arguments: Passthrough.isPermitted ? [DataPath.splice, .passthrough] : [.splice])
    func fourThousandWritesTellOnceAndWakeOnce(data: DataPath) throws {
        let mounted = try MountedHome(data: data)
        let file = open(mounted.documents + "/a", O_CREAT | O_RDWR, 0o644)
        let listener = Counter()
        try mounted.tree.watchChanges(listener)
        defer { mounted.tree.stopWatchingChanges() }
        for _ in 0..<4000 { #expect(write(file, "x", 1) == 1) }
        #expect(fsync(file) == 0)
        close(file)
        mounted.waitForLastRequest()
        #expect(listener.count == 1)
        #expect(mounted.changedPaths() == ["a"])
        #expect(mounted.changedPaths() == [])
        // Taken, so the next change is told again.
        #expect(chmod(mounted.documents + "/a", 0o600) == 0)
        #expect(listener.count == 2)
        #expect(mounted.changedPaths() == ["a"])
    }

    @Test func whatTheKernelForgotBeforeItWasAskedForIsTold() throws {
        let mounted = try MountedHome()
        try mounted.tree.watchChanges(Counter())
        defer { mounted.tree.stopWatchingChanges() }
        mkdir(mounted.documents + "/d", 0o755)
        try write("x", to: mounted.documents + "/d/f")
        mounted.waitForLastRequest()
        try mounted.forgetName("d")
        #expect(mounted.changedPaths() == ["d", "d/f"])
    }

    @Test func aDirectoryThatCameFromOutsideTellsOfWhatIsWrittenBelowItFromThenOn() throws {
        let mounted = try MountedHome()
        let outside = mounted.home + "/tmp/d"
        mkdir(outside, 0o755)
        let file = open(outside + "/f", O_CREAT | O_WRONLY, 0o644)
        defer { close(file) }
        try mounted.tree.watchChanges(Counter())
        defer { mounted.tree.stopWatchingChanges() }
        #expect(fchmod(file, 0o600) == 0)
        #expect(mounted.changedPaths() == [])
        #expect(fchmod(file, 0o640) == 0)
        #expect(rename(outside, mounted.documents + "/d") == 0)
        #expect(fchmod(file, 0o600) == 0)
        #expect(mounted.changedPaths() == ["d", "d/f"])
    }

    @Test func aHardLinkIsToldByItsNumberForItsOtherNamesAreNotKnown() throws {
        let mounted = try MountedHome()
        try write("x", to: mounted.documents + "/a")
        #expect(link(mounted.documents + "/a", mounted.documents + "/b") == 0)
        let number = try status(mounted.documents + "/a").st_ino
        mounted.waitForLastRequest()
        try mounted.tree.watchChanges(Counter())
        defer { mounted.tree.stopWatchingChanges() }
        #expect(truncate(mounted.documents + "/b", 0) == 0)
        #expect(mounted.tree.takeChanges().linked == [UInt64(number)])
    }

    @Test func whatIsTakenInPartsIsWholeAndWakesForTheRest() throws {
        let mounted = try MountedHome()
        mkdir(mounted.documents + "/d", 0o755)
        for index in 0..<600 { try write("x", to: mounted.documents + "/d/\(index)") }
        mounted.waitForLastRequest()
        let listener = Counter()
        try mounted.tree.watchChanges(listener)
        defer { mounted.tree.stopWatchingChanges() }
        for index in 0..<400 { #expect(chmod(mounted.documents + "/d/\(index)", 0o600) == 0) }
        for index in 400..<600 { #expect(unlink(mounted.documents + "/d/\(index)") == 0) }
        #expect(rename(mounted.documents + "/d/0", mounted.documents + "/d/new") == 0)
        var parts: [Set<String>] = []
        repeat { parts.append(mounted.changedPaths(limit: 50)) } while listener.count > parts.count
        #expect(parts.allSatisfy { $0.count <= 320 })
        #expect(parts.count > 4 && mounted.changedPaths() == [])
        #expect(parts.contains { $0.isSuperset(of: ["d/0", "d/new"]) })
        let expected = Set((0..<600).map { "d/\($0)" }).union(["d/new"])
        #expect(parts.reduce([]) { $0.union($1) } == expected)
    }

    @Test func namesThatNobodyTakesBecomeTheDirectoriesThatHeldThem() throws {
        let mounted = try MountedHome()
        let directory = mounted.documents + "/d"
        mkdir(directory, 0o755)
        mounted.waitForLastRequest()
        let before = mounted.tree.liveInodeCount
        try mounted.tree.watchChanges(Counter(), mostNames: 100)
        defer { mounted.tree.stopWatchingChanges() }
        for index in 0..<250 {
            #expect(symlink("x", directory + "/\(index)") == 0 && unlink(directory + "/\(index)") == 0)
        }
        try write("x", to: mounted.documents + "/other")
        let changes = mounted.tree.takeChanges()
        #expect(changes.whole == [[Array("d".utf8)]])
        #expect(changes.paths == [[Array("other".utf8)]])
        #expect(mounted.tree.takeChanges().whole == [])
        #expect(unlink(mounted.documents + "/other") == 0 && rmdir(directory) == 0)
        _ = mounted.tree.takeChanges()
        mounted.waitForLastRequest()
        #expect(mounted.tree.liveInodeCount <= before)
    }

    @Test func whatWaitsInTheFeedWhileItsInodeIsForgottenIsTold() throws {
        let mounted = try MountedHome()
        mkdir(mounted.documents + "/d", 0o755)
        for index in 0..<300 { try write("x", to: mounted.documents + "/d/\(index)") }
        mounted.waitForLastRequest()
        try mounted.tree.watchChanges(Counter())
        defer { mounted.tree.stopWatchingChanges() }
        for index in 0..<300 { #expect(chmod(mounted.documents + "/d/\(index)", 0o600) == 0) }
        var seen = mounted.changedPaths(limit: 1)
        #expect(seen.count < 300)
        try mounted.forgetName("d")
        seen.formUnion(mounted.changedPaths())
        #expect(seen == Set((0..<300).map { "d/\($0)" }))
    }

    @Test func renamesWithinDocumentsAreToldInOrder() throws {
        let mounted = try MountedHome()
        let (documents, tmp) = (mounted.documents, mounted.home + "/tmp")
        mkdir(documents + "/d", 0o755)
        for name in ["a", "b", "d/c"] { try write("x", to: documents + "/" + name) }
        try write("x", to: tmp + "/in")
        mounted.waitForLastRequest()
        try mounted.tree.watchChanges(Counter())
        defer { mounted.tree.stopWatchingChanges() }
        #expect(rename(documents + "/a", documents + "/d/a") == 0)
        // Neither half of these is a rename of the other's.
        #expect(rename(documents + "/b", tmp + "/b") == 0)
        #expect(rename(tmp + "/in", documents + "/new") == 0)
        #expect(rename(documents + "/d/a", documents + "/d/c") == 0)
        // By where their directory lies when they are taken.
        #expect(rename(documents + "/d", documents + "/e") == 0)
        let told = mounted.tree.takeChanges().renames.map { rename in
            [rename.from, rename.to].map { path in
                path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
            }
        }
        #expect(told == [["a", "e/a"], ["e/a", "e/c"], ["d", "e"]])
    }

    @Test func withoutAListenerNothingGathers() throws {
        let mounted = try MountedHome()
        let live = mounted.tree.liveInodeCount
        try mounted.tree.watchChanges(Counter())
        for index in 0..<100 {
            mkdir(mounted.documents + "/\(index)", 0o755)
            rmdir(mounted.documents + "/\(index)")
        }
        mounted.tree.stopWatchingChanges()
        for index in 0..<100 { try write("x", to: mounted.home + "/tmp/\(index)") }
        #expect(mounted.changedPaths() == [])
        for index in 0..<100 { unlink(mounted.home + "/tmp/\(index)") }
        #expect(eventually { mounted.tree.liveInodeCount <= live + 2 })
    }

    @Test func onlyAMoveToAnotherPlaceOfTheHomeIsADepartureAndOneFromThereAnArrival() throws {
        let mounted = try MountedHome()
        let (documents, tmp) = (mounted.documents, mounted.home + "/tmp")
        for name in ["a", "b", "c", "d"] { try write("x", to: documents + "/" + name) }
        try write("x", to: tmp + "/e")
        try mounted.tree.watchChanges(Counter())
        defer { mounted.tree.stopWatchingChanges() }
        unlink(documents + "/a")
        rename(documents + "/b", documents + "/b2")
        rename(tmp + "/e", documents + "/e")
        let found = try mounted.tree.lookup(in: "Documents")
        defer { mounted.tree.forget(found) }
        try "c".withFileName { (name) throws(Errno) in try mounted.tree.discard(name, in: found) }
        let first = mounted.tree.takeChanges()
        #expect(!first.hasDepartures && first.arrivals == [[Array("e".utf8)]])
        rename(documents + "/d", tmp + "/d")
        let second = mounted.tree.takeChanges()
        #expect(second.hasDepartures && second.arrivals.isEmpty)
        #expect(!mounted.tree.takeChanges().hasDepartures)
        _ = lx_renameat2(lx_at_fdcwd, tmp + "/d", lx_at_fdcwd, documents + "/e", lx_rename_exchange)
        let third = mounted.tree.takeChanges()
        #expect(third.hasDepartures && third.arrivals == [[Array("e".utf8)]])
        _ = lx_renameat2(lx_at_fdcwd, documents + "/b2", lx_at_fdcwd, documents + "/e", lx_rename_exchange)
        #expect(mounted.tree.takeChanges().arrivals == [[Array("b2".utf8)], [Array("e".utf8)]])
    }

    static let cases: [Case] = [
        Case(name: "create", expected: ["f"]) { close(open($0 + "/f", O_CREAT | O_WRONLY, 0o644)) },
        Case(name: "read", expected: [], before: make) { close(open($0 + "/f", O_RDONLY)) },
        Case(name: "stat and list", expected: [], before: make) {
            _ = try status($0 + "/f")
            _ = try names(in: $0)
        },
        Case(name: "outside", expected: []) { try write("x", to: $0 + "/../tmp/f") },
        Case(name: "truncate", expected: ["f"], before: make) { truncate($0 + "/f", 0) },
        Case(name: "open to truncate", expected: ["f"], before: make) {
            close(open($0 + "/f", O_RDONLY | O_TRUNC))
        },
        Case(name: "chmod", expected: ["f"], before: make) { chmod($0 + "/f", 0o600) },
        Case(name: "utimens", expected: ["f"], before: make) { utimensat(AT_FDCWD, $0 + "/f", nil, 0) },
        Case(name: "setxattr", expected: ["f"], before: make) {
            #expect(setAttribute("com.apple.x", [1], of: $0 + "/f") == nil)
        },
        Case(
            name: "removexattr", expected: ["f"],
            before: {
                try make($0)
                #expect(setAttribute("com.apple.x", [1], of: $0 + "/f") == nil)
            },
            call: { #expect(removeAttribute("com.apple.x", of: $0 + "/f") == nil) }),
        Case(name: "mkdir", expected: ["d"]) { mkdir($0 + "/d", 0o755) },
        Case(name: "rmdir", expected: ["d"], before: { mkdir($0 + "/d", 0o755) }, call: { rmdir($0 + "/d") }),
        Case(name: "symlink", expected: ["l"]) { symlink("f", $0 + "/l") },
        Case(name: "link", expected: ["f", "g"], before: make) { link($0 + "/f", $0 + "/g") },
        Case(name: "unlink", expected: ["f"], before: make) { unlink($0 + "/f") },
        Case(name: "rename", expected: ["f", "d/g"], before: makeBoth) { rename($0 + "/f", $0 + "/d/g") },
        Case(
            name: "rename over", expected: ["f", "d/g"],
            before: {
                try makeBoth($0)
                try write("y", to: $0 + "/d/g")
            },
            call: { rename($0 + "/f", $0 + "/d/g") }),
        Case(
            name: "exchange", expected: ["f", "d/g"],
            before: {
                try makeBoth($0)
                try write("y", to: $0 + "/d/g")
            },
            call: {
                _ = lx_renameat2(lx_at_fdcwd, $0 + "/f", lx_at_fdcwd, $0 + "/d/g", lx_rename_exchange)
            }),
        Case(name: "rename out", expected: ["f"], before: make) { rename($0 + "/f", $0 + "/../tmp/f") },
        Case(
            name: "rename a directory", expected: ["d", "e"],
            before: {
                try makeBoth($0)
                try write("y", to: $0 + "/d/g")
            },
            call: { rename($0 + "/d", $0 + "/e") }),
        Case(name: "fallocate", expected: ["f"], before: make) {
            let file = open($0 + "/f", O_WRONLY)
            _ = lx_fallocate(file, 0, 0, 8192)
            close(file)
        },
    ]

    private static let make: @Sendable (String) throws -> Void = { try write("x", to: $0 + "/f") }
    private static let makeBoth: @Sendable (String) throws -> Void = {
        try make($0)
        mkdir($0 + "/d", 0o755)
    }
}

/// Counts how often it was told.
final class Counter: ChangeListener {
    private let calls = Lock(0)
    var count: Int { calls.withLock { $0 } }
    func changesCame() { calls.withLock { $0 += 1 } }
}

extension HomeTree {
    /// Holds a reference.
    func lookup(in name: String) throws(Errno) -> InodeNumber {
        try name.withFileName { (name) throws(Errno) in try lookup(name, in: home).inode }
    }
}

extension MountedHome {
    func changedPaths(limit: Int = .max) -> Set<String> {
        Set(
            tree.takeChanges(limit: limit).paths.map { path in
                path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
            })
    }
}

internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// The names of one directory. A directory may have millions: of each a hash is kept, and the names are read
/// again by who wants them.
struct DirectoryNames {
    /// Open, and read by nobody else meanwhile.
    private let directory: Int32
    /// In order. Those of names that differ only by case or Unicode form are equal.
    private let foldedHashes: [UInt64]

    init(of directory: Int32) throws(Errno) {
        self.directory = directory
        var hashes: [UInt64] = []
        try Self.forEach(in: directory) { name throws(Errno) in
            hashes.append(NamePolicy.foldedHash(name.bytes))
            return true
        }
        hashes.sort()
        foldedHashes = hashes
    }

    var count: Int { foldedHashes.count }

    /// The hashes that more than one name has.
    var repeated: Set<UInt64> {
        var repeated: Set<UInt64> = []
        for (one, other) in zip(foldedHashes, foldedHashes.dropFirst()) where one == other {
            repeated.insert(one)
        }
        return repeated
    }

    /// At most `limit` names whose hashes are among these.
    func names(with hashes: Set<UInt64>, limit: Int) throws(Errno) -> [String] {
        var names: [String] = []
        try Self.forEach(in: directory) { name throws(Errno) in
            if hashes.contains(NamePolicy.foldedHash(name.bytes)),
                let text = String(validating: name.bytes, as: UTF8.self)
            {
                names.append(text)
            }
            return names.count < limit
        }
        return names
    }

    /// Reads a directory from its beginning, without `.` and `..`.
    /// - Parameter body: gets each name, valid for that call; says whether to go on. It reads this directory
    ///   by no other means.
    static func forEach(
        in directory: Int32, _ body: (FileName) throws(Errno) -> Bool
    ) throws(Errno) {
        try valueOrErrno(lx_lseek(directory, 0, 0))
        var entries = DirectoryEntries()
        while let entry = try entries.next(of: directory) {
            if entry.name.isDotOrDotDot { continue }
            guard try body(entry.name) else { return }
        }
    }
}

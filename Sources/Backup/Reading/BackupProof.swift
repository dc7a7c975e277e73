internal import CLinux
internal import Crypto
internal import Posix
internal import SystemPackage

/// A record of what a backup's folder is: a line for each item, with its hash and all that stat(2) says. Two
/// records that are the same say that nobody changed anything in between, not even an access time.
package enum BackupProof {
    /// The first line of a record's lines of items.
    package static let columns = "sha256 size mode uid:gid inode modified changed accessed path"

    /// Calls `line` with each item's line, without its end: directories before what is in them, names by
    /// their bytes. Nothing but regular files is opened, and no access time moves.
    package static func forEachLine(
        of source: BackupSource, _ line: (String) throws -> Void
    ) throws(BackupError) {
        try BackupError.translating("record the backup") {
            try walk(source, "", try FileTree.openDirectory(source.directory.raw, "."), line)
        }
    }

    private static func walk(
        _ source: BackupSource, _ path: String, _ directory: borrowing Descriptor,
        _ line: (String) throws -> Void
    ) throws {
        let raw = directory.raw
        if path.isEmpty { try line("- " + facts(try ItemStamp(of: raw), raw, "") + " .") }
        for name in try source.entries(of: path.isEmpty ? "." : path).sorted(by: precedes) {
            let below = path.isEmpty ? name : "\(path)/\(name)"
            let stamp = try ItemStamp(raw, name)
            let facts = try facts(stamp, raw, name)
            var hash = "-"
            if stamp.isRegular {
                guard let file = try source.openFile(below) else { throw Errno.noSuchFileOrDirectory }
                hash = try sha256(file)
            }
            try line("\(hash) \(facts) \(below.printableLine)")
            guard stamp.isDirectory else { continue }
            try walk(source, below, try FileTree.openDirectory(raw, name), line)
        }
    }

    private static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    private static func facts(_ stamp: ItemStamp, _ directory: Int32, _ name: String) throws(Errno) -> String
    {
        var accessed = timespec()
        try valueOrErrno(lx_access_time(directory, name, &accessed))
        let times = [timespec(nanoseconds: stamp.modified), timespec(nanoseconds: stamp.changed), accessed]
        let facts =
            "\(stamp.sizeBytes) \(String(stamp.mode, radix: 8)) \(stamp.uid):\(stamp.gid) \(stamp.inode) "
        return facts + times.map(text).joined(separator: " ")
    }

    /// Seconds since 1970, with nine digits behind the point.
    private static func text(_ time: timespec) -> String {
        let digits = String(time.tv_nsec)
        return "\(time.tv_sec)." + String(repeating: "0", count: 9 - digits.count) + digits
    }

    private static func sha256(_ file: borrowing Descriptor) throws(Errno) -> String {
        var hash = SHA256()
        while case let piece = try file.readPiece(1 << 20), !piece.isEmpty { hash.update(data: piece) }
        return Hex.text(Array(hash.finalize()))
    }
}

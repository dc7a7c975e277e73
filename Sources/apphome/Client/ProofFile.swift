internal import Backup
internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// A file that says what a backup's folder was when it was mounted, and whether it is still that when it is
/// unmounted.
final class ProofFile {
    private struct Record: Equatable {
        var digest: [UInt8]
        var items: Int
    }

    private let source: BackupSource
    private let path: String
    private let file: SharedDescriptor
    private var first: Record?

    /// Where a file would be that a person named, from the root.
    static func place(_ path: String) throws -> String {
        let (folder, name) = (FilePath(path).removingLastComponent().string, FilePath(path).lastComponent)
        let opened = try OpenedFile(folder.isEmpty ? "." : folder, "write into")
        guard let name, let place = pathOfDescriptor(opened.descriptor.raw) else {
            throw CommandFailure("\(path) is no name of a file: name one with --proof")
        }
        return "\(place)/\(name.string)"
    }

    /// Makes the file and writes the backup's record into it, which reads all of the backup.
    /// - Parameter path: absolute; what is there already is refused.
    init(_ source: BackupSource, of backup: String, at path: String) throws {
        guard !path.isPath(in: backup) else {
            throw CommandFailure("\(path) lies in the backup, which is not to change: give another file")
        }
        self.source = source
        self.path = path
        file = try Self.make(path)
        let head = "# proof of the backup \(backup.printableLine)\n# mounted at \(timeText(now))\n"
        try write(head, to: file)
        let record = try record(into: file)
        let digest = Hex.text(record.digest)
        try write("# \(counted(record.items, "item")), SHA-256 of their lines \(digest)\n", to: file)
        first = record
    }

    /// Writes whether the backup is what it was. Where it is not, a second file has the record that it has
    /// now.
    /// - Returns: whether nothing has changed.
    func end() throws -> Bool {
        let aside = path + ".unmounted"
        let later = try Self.make(aside)
        let record = try record(into: later)
        let isSame = record == first
        let what = isSame ? "nothing has changed" : "it has changed: compare with \(aside)"
        try write("# unmounted at \(timeText(now)): \(counted(record.items, "item")), \(what)\n", to: file)
        if isSame { unlink(aside) }
        return isSame
    }

    private var now: Double { Date().timeIntervalSince1970 }

    private static func make(_ path: String) throws -> SharedDescriptor {
        do throws(Errno) {
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
            return SharedDescriptor(try Descriptor(path, flags: flags, mode: 0o600))
        } catch {
            let what = error == .fileExists ? "it is there already, and is not written over" : "\(error)"
            throw CommandFailure("cannot make \(path): \(what)")
        }
    }

    private func record(into file: SharedDescriptor) throws -> Record {
        var hash = SHA256()
        var items = 0
        var waiting = "# \(BackupProof.columns)\n"
        try BackupProof.forEachLine(of: source) { line in
            hash.update(data: Array((line + "\n").utf8))
            items += 1
            waiting += line + "\n"
            guard waiting.utf8.count > 64 << 10 else { return }
            try write(waiting, to: file)
            waiting = ""
        }
        try write(waiting, to: file)
        return Record(digest: Array(hash.finalize()), items: items)
    }

    private func write(_ text: String, to file: SharedDescriptor) throws {
        try file.descriptor.writeAll(Array(text.utf8))
    }
}

internal import CLinux
internal import Databases
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// A SQLite database is one unit with the files beside it (SYNC.md 5): what is committed to its log is a
/// change of the database, and the log itself does not travel.
extension HomeDisk {
    /// Takes the database's own log and journal into its fingerprint, where they hold anything. The shared
    /// memory beside them says nothing of contents.
    func addCompanions(
        of name: String, _ inode: InodeNumber, in parent: InodeNumber, to fingerprint: inout Fingerprint
    ) throws(LocalError) {
        for suffix in ["-wal", "-journal"] {
            guard let companion = try stamp(name + suffix, in: parent), companion.isRegular,
                companion.sizeBytes > 0
            else { continue }
            guard try isDatabase(inode) else { return }
            fingerprint.sizeBytes &+= companion.sizeBytes
            fingerprint.modified = max(fingerprint.modified, companion.modified)
            fingerprint.changed = max(fingerprint.changed, companion.changed)
        }
    }

    /// Whether a name is that of a file that belongs to a database beside it.
    func isCompanion(_ name: String, in parent: InodeNumber) throws(LocalError) -> Bool {
        guard let database = CloudRule.databaseName(ofCompanion: name),
            let found = try withName(database, { (name) throws(Errno) in try tree.peek(name, in: parent) })
        else { return false }
        defer { tree.forget(found.inode) }
        guard found.status.isRegular else { return false }
        return try isDatabase(found.inode)
    }

    /// The paths that a change of one path concerns: of a database's companion, the database too.
    func unit(of path: LocalPath) -> [LocalPath] {
        guard let name = path.name, let database = CloudRule.databaseName(ofCompanion: name) else {
            return [path]
        }
        return [path, path.parent.appending(database)]
    }

    /// By its first bytes.
    func isDatabase(_ inode: InodeNumber) throws(LocalError) -> Bool {
        try LocalError.from { () throws(Errno) in
            let handle = try tree.open(inode, flags: 0)
            defer { tree.close(handle, of: inode) }
            var header = [UInt8](repeating: 0, count: DatabaseFile.headerBytes)
            let count = try retrying { lx_pread(handle.descriptor, &header, UInt64(header.count), 0) }
            return DatabaseFile.isDatabase(header: Array(header[..<Int(count)]))
        }
    }

    func stamp(_ name: String, in parent: InodeNumber) throws(LocalError) -> ItemStamp? {
        guard let found = try withName(name, { (name) throws(Errno) in try tree.peek(name, in: parent) })
        else { return nil }
        defer { tree.forget(found.inode) }
        return try LocalError.from { () throws(Errno) in try tree.stamp(of: found.inode) }
    }
}

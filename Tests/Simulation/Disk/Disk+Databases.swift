internal import CloudSync
internal import SyncContent
internal import SyncLog

/// A database is a file and the log beside it: what is in the log is what SQLite shows, whatever lies below.
extension Disk {
    static let logSuffix = "-wal"

    /// The log that SQLite would take for the one of the file there.
    func log(of path: LocalPath) -> Inode? {
        guard let name = path.name, name.hasSuffix(".db") else { return nil }
        return find(path.parent)?.entries[name + Self.logSuffix]
    }

    /// What an app reads there.
    func bytes(of inode: Inode, at path: LocalPath) -> [UInt8] {
        log(of: path).map(\.bytes) ?? inode.bytes
    }

    /// Of the file and its log as one.
    func fingerprint(of inode: Inode, at path: LocalPath) -> Fingerprint {
        var fingerprint = inode.fingerprint
        guard let log = log(of: path) else { return fingerprint }
        fingerprint.sizeBytes += UInt64(log.bytes.count)
        fingerprint.modified = max(fingerprint.modified, log.modified)
        fingerprint.changed = max(fingerprint.changed, log.changed)
        return fingerprint
    }

    /// What SQLite does when it closes a database for good: the log comes into the file, and goes.
    func checkIn(_ inode: Inode, at path: LocalPath) {
        guard let log = log(of: path), let directory = find(path.parent), let name = path.name else { return }
        inode.bytes = log.bytes
        inode.modified = tick()
        inode.changed = inode.modified
        removeEntry(name + Self.logSuffix, of: directory)
        syncBytes(of: inode)
    }
}

extension DiskDoor {
    /// What lies beside the name of a database must not be taken for a part of what comes there.
    /// - Throws: `.changed` where its log was checked in: it is to be looked at again.
    func prepareDatabase(_ inode: Inode?, at path: LocalPath) throws(LocalError) {
        guard rules.hold(.staleLogsAreRemoved), let log = disk.log(of: path) else { return }
        guard let inode else {
            if let directory = disk.find(path.parent), let name = path.name {
                disk.removeEntry(name + Disk.logSuffix, of: directory)
            }
            return
        }
        if inode.writers + log.writers > 0 { throw .inUse }
        disk.checkIn(inode, at: path)
        throw .changed
    }
}

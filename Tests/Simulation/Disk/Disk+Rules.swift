internal import CloudSync

extension Disk {
    /// SPEC.md 7, as the mount says it of an item by itself.
    static func exclusion(of inode: Inode, named name: String) -> Exclusion? {
        if inode.isFlagged { return .flagged }
        if name.hasSuffix(logSuffix) { return .databaseCompanion }
        let isNamedOut =
            name == ".Trash" || name == ".DS_Store" || name == "Inbox" || name.hasSuffix(".nosync")
            || name.hasSuffix(".tmp")
        return isNamedOut ? .name : nil
    }

    /// Whether an item has no place in the cloud, by itself or by what it lies in.
    func isExcluded(_ path: LocalPath) -> Bool {
        var inode = root
        for name in path.names {
            guard let child = inode.entries[name] else { return false }
            if Self.exclusion(of: child, named: name) != nil { return true }
            inode = child
        }
        return false
    }

    /// Somebody may write to it; a file held open over 30 s that stood still for 10 s counts as unchanged.
    func isBeingWritten(_ inode: Inode) -> Bool {
        guard inode.writers > 0 else { return false }
        let second: UInt64 = 1_000_000_000
        let isLongOpen = timeline.now > inode.openedAt + 30 * second
        return !(isLongOpen && timeline.now > inode.writtenAt + 10 * second)
    }
}

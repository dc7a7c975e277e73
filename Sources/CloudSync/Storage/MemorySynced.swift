internal import SyncLog

/// The synced tree as a value.
struct MemorySynced: Sendable {
    /// A birth time is compared afterwards: few items share a number.
    struct InodeKey: Hashable, Sendable {
        var device: UInt64
        var inode: UInt64

        init(_ fingerprint: Fingerprint) {
            device = fingerprint.device
            inode = fingerprint.inode
        }
    }

    var items: [FileID: SyncedItem] = [:]
    var slots: [Slot: FileID] = [:]
    var children: [FileID: Set<FileID>] = [:]
    var inodes: [InodeKey: Set<FileID>] = [:]
    var dataless = 0
    var pending: Set<FileID> = []
    var departures: [FileID: [Revision]] = [:]
    var intentions: [FileID: Intention] = [:]
    var displaced: [String: DisplacedItem] = [:]

    mutating func set(_ item: SyncedItem) {
        remove(item.file)
        items[item.file] = item
        slots[Slot(item.parent, item.name)] = item.file
        children[item.parent, default: []].insert(item.file)
        inodes[InodeKey(item.fingerprint), default: []].insert(item.file)
        if item.isDataless { dataless += 1 }
    }

    mutating func remove(_ file: FileID) {
        guard let old = items.removeValue(forKey: file) else { return }
        let slot = Slot(old.parent, old.name)
        if slots[slot] == file { slots[slot] = nil }
        children[old.parent]?.remove(file)
        if children[old.parent]?.isEmpty ?? false { children[old.parent] = nil }
        let inode = InodeKey(old.fingerprint)
        inodes[inode]?.remove(file)
        if inodes[inode]?.isEmpty ?? false { inodes[inode] = nil }
        if old.isDataless { dataless -= 1 }
    }
}

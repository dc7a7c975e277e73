internal import CloudSync
internal import SyncLog

/// What an inode number stands for until its last link and handle are gone.
final class Inode {
    enum Kind {
        case file
        case directory
        case symlink([UInt8])
    }

    let number: UInt64
    let birth: Int64
    let kind: Kind
    var bytes: [UInt8] = []
    /// What a power failure leaves of `bytes`.
    var durableBytes: [UInt8] = []
    /// Of a directory: compared as Swift compares strings, which is by canonical equivalence.
    var entries: [String: Inode] = [:]
    weak var parent: Inode?
    var mode: UInt16
    var modified: Int64
    var changed: Int64
    var extended: [ExtendedAttribute] = []
    var isFlagged = false
    var links = 0
    /// Handles open for writing, and shared mappings, which outlive theirs.
    var writers = 0
    /// The hash of its bytes, where these are not here: it reads as zeros then.
    var away: ContentHash?
    /// Its last name went because sync took it.
    var isTaken = false
    /// Conflict versions that its device listed beside it where it lay before a directory took its place: who
    /// takes it away had seen them.
    var listed: Set<Revision> = []
    /// Sync reads it and lets nobody open it for writing meanwhile.
    var isLeased = false
    /// Since when a handle is open, and when it was last written to: by the world's time.
    var openedAt: UInt64 = 0
    var writtenAt: UInt64 = 0

    init(number: UInt64, birth: Int64, kind: Kind, mode: UInt16) {
        self.number = number
        self.birth = birth
        self.kind = kind
        self.mode = mode
        modified = birth
        changed = birth
    }

    var isDirectory: Bool { if case .directory = kind { true } else { false } }
    var isFile: Bool { if case .file = kind { true } else { false } }

    var fingerprint: Fingerprint {
        Fingerprint(
            device: 1, inode: number, birth: birth, sizeBytes: UInt64(bytes.count), modified: modified,
            changed: changed)
    }

    var attributes: Attributes { Attributes(mode: mode, modified: modified, extended: extended) }

    /// Itself and all directories below it.
    var directories: [Inode] {
        guard isDirectory else { return [] }
        return [self] + entries.values.sorted { $0.number < $1.number }.flatMap(\.directories)
    }

    func isBelow(_ ancestor: Inode) -> Bool {
        var inode: Inode? = self
        while let present = inode {
            if present === ancestor { return true }
            inode = present.parent
        }
        return false
    }

    /// A copy of all below, for a clone of the device.
    func copy(_ known: inout [ObjectIdentifier: Inode]) -> Inode {
        if let copy = known[ObjectIdentifier(self)] { return copy }
        let copy = Inode(number: number, birth: birth, kind: kind, mode: mode)
        known[ObjectIdentifier(self)] = copy
        (copy.bytes, copy.durableBytes) = (bytes, durableBytes)
        (copy.modified, copy.changed, copy.extended) = (modified, changed, extended)
        (copy.isFlagged, copy.links, copy.away) = (isFlagged, links, away)
        copy.listed = listed
        copy.entries = entries.mapValues { child in
            let child = child.copy(&known)
            if child.isDirectory { child.parent = copy }
            return child
        }
        return copy
    }
}

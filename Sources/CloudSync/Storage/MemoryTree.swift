internal import CloudStore
internal import StoreBasics
internal import SyncLog

/// The tree's rows as a value, for the simulation and for tests.
struct MemoryTree: Sendable {
    /// The items of one directory.
    struct Directory: Sendable {
        var names: [NormalizedName: FileID] = [:]
        var former: Set<FileID> = []
        var isEmpty: Bool { names.isEmpty && former.isEmpty }
    }

    /// Clocks of one kind.
    struct Expiries: Sendable {
        var entries: Set<Expiry> = []
        /// No entry began before this: most commits find that none is due without a look at them.
        var earliest = StoreTime(seconds: .max)

        mutating func first(before time: StoreTime) -> Expiry? {
            guard earliest < time else { return nil }
            let first = entries.min { $0.since < $1.since }
            earliest = first?.since ?? StoreTime(seconds: .max)
            return first.flatMap { $0.since < time ? $0 : nil }
        }

        mutating func add(_ expiry: Expiry) {
            entries.insert(expiry)
            earliest = min(earliest, expiry.since)
        }
    }

    var nodes: [FileID: Node] = [:]
    var aliases: [FileID: FileID] = [:]
    var directories: [FileID: Directory] = [:]
    /// By item, in log order.
    var history: [FileID: [RetainedContent]] = [:]
    var chunks: [ContentHash: ChunkRecord] = [:]
    var expiries: [ExpiryKind: Expiries] = [:]
    var head = TreeHead.empty
    var progress: CommitProgress?
    var devices: [DeviceID: DeviceMark] = [:]
    var words: Set<String> = []
    var keyValues: [KeyName: KeyValueRecord] = [:]
    var counts = TreeCounts()
    var conflicts: Set<FileID> = []
}

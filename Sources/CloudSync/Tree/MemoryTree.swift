/// The tree's rows as a value, for the simulation and for tests.
struct MemoryTree: Sendable {
    /// The items of one directory.
    struct Directory: Sendable {
        var names: [NormalizedName: FileID] = [:]
        var former: Set<FileID> = []
        var isEmpty: Bool { names.isEmpty && former.isEmpty }
    }

    var nodes: [FileID: Node] = [:]
    var aliases: [FileID: FileID] = [:]
    var directories: [FileID: Directory] = [:]
    /// By item, in log order.
    var history: [FileID: [RetainedContent]] = [:]
    var chunks: [ContentHash: ChunkRecord] = [:]
    var expiries: [ExpiryKind: Set<Expiry>] = [:]
    var head = TreeHead.empty
    var devices: [DeviceID: DeviceMark] = [:]
    var unknownWords: Set<String> = []
    var counts = TreeCounts()
    var conflicts: Set<FileID> = []
}

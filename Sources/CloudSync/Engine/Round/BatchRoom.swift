internal import SyncLog

/// How much a batch holds already of what it may. Contents count by their bytes elsewhere
/// (`ContainerSync.batchBytes`): few chunks come with those.
struct BatchRoom {
    private let limits: BatchLimits
    private var operations = 0
    private var bytes = 0

    init(_ limits: BatchLimits) {
        self.limits = limits
    }

    var isEmpty: Bool { operations == 0 }

    /// Whether drafts that stay together may come to it. The first ones always do.
    func fits(_ group: some Collection<Draft>) -> Bool {
        let added = group.map { $0.operationBytes(chunks: 0) }.reduce(0, +)
        return isEmpty
            || operations + group.count <= limits.operations && bytes + added <= limits.bytes
    }

    mutating func take(_ draft: Draft) {
        operations += 1
        bytes += draft.operationBytes(chunks: 0)
    }
}

extension [Draft] {
    /// The draft at a place and those that are joined to it.
    func group(at index: Int) -> ArraySlice<Draft> {
        self[index..<(self[(index + 1)...].firstIndex { !$0.isJoined } ?? endIndex)]
    }
}

extension Draft {
    /// Of kind, ids, sizes, times and a place.
    private static let plainBytes = 192
    private static let revisionBytes = 40
    private static let attributeBytes = 24

    /// What its operation takes in the log at most.
    /// - Parameter chunks: of its content.
    func operationBytes(chunks: Int) -> Int {
        var bytes = Self.plainBytes + name.utf8.count + chunks * Chunk.encodedBytes
        switch kind {
        case .delete(_, let contents), .withdraw(let contents): bytes += contents.count * Self.revisionBytes
        case .create, .edit, .move, .park, .setAttributes, .refresh, .forget: break
        }
        if case .symlink(let target) = source { bytes += target.count }
        for attribute in attributes.extended {
            bytes += attribute.name.utf8.count + attribute.value.count + Self.attributeBytes
        }
        return bytes
    }
}

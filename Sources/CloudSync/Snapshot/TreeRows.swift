/// Where a walk through a tree's records stands: at the row after this one. Rows are in the order of
/// `SnapshotRecord.key`.
enum TreePosition: Equatable, Sendable {
    case start
    case chunk(ContentHash)
    case node(FileID)
    case retained(RetainedContent.Key)
    case device(DeviceID)

    init(_ record: SnapshotRecord) {
        switch record {
        case .chunk(let chunk): self = .chunk(chunk.hash)
        case .node(let node): self = .node(node.id)
        case .retained(let content): self = .retained(content.key)
        case .device(let mark): self = .device(mark.device)
        }
    }
}

extension TreeStorage {
    /// Some of the records after a position; empty at the end.
    func records(after position: TreePosition, limit: Int) throws -> [SnapshotRecord] {
        switch position {
        case .start:
            let rows = try chunks(after: nil, limit: limit)
            return rows.isEmpty ? try firstNodes(limit) : rows.map { .chunk($0) }
        case .chunk(let hash):
            let rows = try chunks(after: hash, limit: limit)
            return rows.isEmpty ? try firstNodes(limit) : rows.map { .chunk($0) }
        case .node(let id):
            let rows = try nodes(after: id, limit: limit)
            return rows.isEmpty ? try firstRetained(limit) : rows.map { .node($0) }
        case .retained(let key):
            let rows = try retainedContents(after: key, limit: limit)
            return rows.isEmpty ? try deviceRecords(after: nil) : rows.map { .retained($0) }
        case .device(let device): return try deviceRecords(after: device)
        }
    }

    private func firstNodes(_ limit: Int) throws -> [SnapshotRecord] {
        let rows = try nodes(after: nil, limit: limit)
        return rows.isEmpty ? try firstRetained(limit) : rows.map { .node($0) }
    }

    private func firstRetained(_ limit: Int) throws -> [SnapshotRecord] {
        let rows = try retainedContents(after: nil, limit: limit)
        return rows.isEmpty ? try deviceRecords(after: nil) : rows.map { .retained($0) }
    }

    private func deviceRecords(after device: DeviceID?) throws -> [SnapshotRecord] {
        try deviceMarks().filter { mark in device.map { $0 < mark.device } ?? true }.map { .device($0) }
    }
}

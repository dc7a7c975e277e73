internal import SyncLog

/// Where a walk through a tree's records stands: at the row after this one. Rows are in the order of
/// `SnapshotRecord.key`.
enum TreePosition: Equatable, Sendable {
    /// Nil: before the first of that kind.
    case chunk(ContentHash?)
    case node(FileID?)
    case retained(RetainedContent.Key?)
    case device(DeviceID?)
    case keyValue(KeyName?)

    static let start = TreePosition.chunk(nil)

    init(_ record: SnapshotRecord) {
        switch record {
        case .chunk(let chunk): self = .chunk(chunk.hash)
        case .node(let node): self = .node(node.id)
        case .retained(let content): self = .retained(content.key)
        case .device(let mark): self = .device(mark.device)
        case .keyValue(let record): self = .keyValue(record.key)
        }
    }
}

extension TreeStorage {
    /// Some of the records after a position; empty at the end.
    func records(after position: TreePosition, limit: Int) throws -> [SnapshotRecord] {
        switch position {
        case .chunk(let hash):
            let rows = try chunks(after: hash, limit: limit)
            return rows.isEmpty ? try records(after: .node(nil), limit: limit) : rows.map { .chunk($0) }
        case .node(let id):
            let rows = try nodes(after: id, limit: limit)
            return rows.isEmpty ? try records(after: .retained(nil), limit: limit) : rows.map { .node($0) }
        case .retained(let key):
            let rows = try retainedContents(after: key, limit: limit)
            return rows.isEmpty ? try records(after: .device(nil), limit: limit) : rows.map { .retained($0) }
        case .device(let device):
            let marks = try deviceMarks().filter { mark in device.map { $0 < mark.device } ?? true }
            return marks.isEmpty
                ? try records(after: .keyValue(nil), limit: limit) : marks.map { .device($0) }
        case .keyValue(let key):
            return try keyValues(after: key, limit: limit).map { .keyValue($0) }
        }
    }
}

internal import CloudStore
package import StoreBasics
package import SyncLog

/// The object of a snapshot: where in the log it stands, and where its pages lie. Its pages are all in one
/// list and not in a tree, so one request tells everything that it needs: 70 bytes for 60 KiB of records,
/// half a megabyte for a million documents.
package struct SnapshotRoot: Equatable, Sendable {
    static let version: UInt64 = 1
    static let pageLimit = 1 << 18

    /// The last entry that it holds; time and hash go on from there.
    package var head: TreeHead
    /// `TreeStorage.treeHash`: of the records and the head, not of where they lie.
    package var treeHash: ContentHash
    /// What the tree's live items take of a quota, as its maker counted (`TreeCounts.sizeBytes`).
    package var usedBytes: UInt64
    /// What the log before it demands of clients (`TreeStorage.words`): its maker knew all of it, and who
    /// loads it may not.
    package var words: [String]
    package var pages: [SnapshotPage]

    func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 256 + pages.count * 80)
        writer.array(6)
        writer.unsigned(Self.version)
        writer.byteString(head.encoded())
        writer.hash(treeHash)
        writer.unsigned(usedBytes)
        writer.list(words) { $0.text($1) }
        writer.list(pages) { $1.encode(to: &$0) }
        return writer.bytes
    }
}

extension SnapshotRoot {
    package init(_ bytes: [UInt8]) throws(SnapshotError) {
        do { try self.init(reading: bytes) } catch {
            switch error {
            case .invalid("version"): throw .unknownVersion
            default: throw .damaged("a snapshot's root: \(error)")
            }
        }
    }

    private init(reading bytes: [UInt8]) throws(CodingError) {
        var reader = CBORReader(bytes)
        let count = try reader.array()
        if try reader.unsigned() != Self.version { throw .invalid("version") }
        if count != 6 { throw .unexpected }
        head = try TreeHead(reader.byteString(upTo: 256))
        treeHash = try reader.hash()
        usedBytes = try reader.unsigned()
        words = try reader.list(upTo: 1_000) { reader throws(CodingError) in
            try reader.text(upTo: 1_000)
        }
        pages = try reader.list(upTo: Self.pageLimit, SnapshotPage.init(from:))
        try reader.end()
    }
}

/// A run of a snapshot's bytes, and where it lies.
package struct SnapshotPage: Equatable, Sendable {
    package var chunk: Chunk
    /// Since when an unbroken chain of snapshots has had it at this place.
    package var since: StoreTime

    fileprivate func encode(to writer: inout CBORWriter) {
        writer.array(2)
        chunk.encode(to: &writer)
        writer.unsigned(UInt64(clamping: since.seconds))
    }
}

extension SnapshotPage {
    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 2)
        let chunk = try Chunk(from: &reader)
        if chunk.sizeBytes > PageReader.pageLimitBytes { throw .tooLarge }
        self.init(chunk: chunk, since: try reader.time())
    }
}

/// Why a snapshot could not be written or read.
package enum SnapshotError: StoreFailure, Equatable, Sendable {
    case content(ContentError)
    /// A later program wrote it.
    case unknownVersion
    /// It is not what its name says, or cannot be.
    case damaged(String)
    /// The tree went on while it was written: write again.
    case changed
    /// The device's own storage failed.
    case storage(String)
}

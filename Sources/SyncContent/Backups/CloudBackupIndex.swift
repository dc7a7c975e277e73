package import SyncLog

/// What a run needs to look up: the items of the snapshot before, and every chunk of it and of the new one.
/// Calls throw what the storage throws.
package protocol CloudBackupIndex: AnyObject, Sendable {
    // MARK: The snapshot before
    /// Takes over records of a domain.
    func insert(_ records: [CloudBackupRecord], of domain: String) throws
    func insert(_ content: HeldContent) throws
    /// The record of a file that can be known again.
    func record(of path: String, in domain: String) throws -> CloudBackupRecord?
    /// Forgets it: it cannot be read to its end.
    func clear() throws

    // MARK: Chunks
    func row(_ hash: ContentHash) throws -> IndexedChunk?
    func set(_ row: IndexedChunk) throws

    // MARK: The quota
    /// Bytes of the chunks that the snapshot before has and the new one does not.
    func droppedBytes() throws -> UInt64
    /// Some of the chunks that the new snapshot refers to, by ascending hash, after one.
    func held(after hash: ContentHash?, limit: Int) throws -> [IndexedChunk]
}

/// A chunk of the snapshot before, of the new one, or of both.
package struct IndexedChunk {
    /// What is known of it, added up.
    package struct Marks: OptionSet {
        package let rawValue: Int64
        /// The snapshot before refers to it.
        package static let base = Marks(rawValue: 1)
        /// The new one does.
        package static let held = Marks(rawValue: 2)
        /// This run sent it, or saw that it may be relied on: nothing more has to be asked.
        package static let present = Marks(rawValue: 4)

        package init(rawValue: Int64) {
            self.rawValue = rawValue
        }
    }

    package var chunk: HeldChunk
    package var marks: Marks

    package init(chunk: HeldChunk, marks: Marks) {
        self.chunk = chunk
        self.marks = marks
    }
}

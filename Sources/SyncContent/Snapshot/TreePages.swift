internal import SyncLog

/// A tree cut into pages: what each is and where its records begin. The bytes are made again when they are
/// sent, so that a large tree is never in memory.
struct TreePages: Sendable {
    struct Page: Equatable, Sendable {
        var hash: ContentHash
        var sizeBytes: UInt32
        /// The row before the one that the page begins in.
        var position: TreePosition
        /// How much of that row, and of those after it, belongs to pages before.
        var skippedBytes: Int
    }

    let storage: any TreeDatabase
    let head: TreeHead
    let treeHash: ContentHash
    let usedBytes: UInt64
    let words: [String]
    let pages: [Page]

    private static let rowsAtOnce = 500

    /// The pages as files of one piece each, for a plan of what is sent.
    var contents: [CutContent] {
        pages.map { CutContent(CutContent.Piece(hash: $0.hash, sizeBytes: $0.sizeBytes)) }
    }

    private static func pages(of tree: any TreeStorage, _ sizes: ContentSizes) throws -> [Page] {
        var cutter = PageCutter(sizes)
        var pages: [Page] = []
        var next = Page(hash: ContentHash(of: []), sizeBytes: 0, position: .start, skippedBytes: 0)
        // Bytes of all pages so far, and of all records before the one at hand.
        var (paged, written) = (0, 0)
        var last = TreePosition.start
        func finish(_ bytes: [UInt8]) {
            next.hash = ContentHash(of: bytes)
            next.sizeBytes = UInt32(bytes.count)
            pages.append(next)
            paged += bytes.count
            next.position = last
            next.skippedBytes = paged - written
        }
        while case let records = try tree.records(after: last, limit: rowsAtOnce), !records.isEmpty {
            for record in records {
                let before = pages.count
                cutter.append(record, page: finish)
                written = paged + cutter.bytes.count
                last = TreePosition(record)
                // A page that ended with this record: the next begins behind it.
                if pages.count > before, cutter.bytes.isEmpty {
                    (next.position, next.skippedBytes) = (last, 0)
                }
            }
        }
        cutter.finish(page: finish)
        return pages
    }

    /// A page's bytes, made again.
    private func bytes(of page: Page) throws -> [UInt8] {
        try storage.readTree { tree in
            var bytes: [UInt8] = []
            var position = page.position
            let end = page.skippedBytes + Int(page.sizeBytes)
            while bytes.count < end,
                case let records = try tree.records(after: position, limit: Self.rowsAtOnce),
                let last = records.last
            {
                for record in records where bytes.count < end { bytes += PageCutter.frame(record) }
                position = TreePosition(last)
            }
            return Array(bytes.prefix(end).dropFirst(page.skippedBytes))
        }
    }
}

extension TreePages {
    init(_ storage: any TreeDatabase, _ sizes: ContentSizes) throws(SnapshotError) {
        do {
            self = try storage.readTree { transaction in
                // A tree that no log made would be believed by all devices.
                guard try transaction.commitProgress() == nil else { throw SnapshotError.changed }
                return TreePages(
                    storage: storage, head: try transaction.treeHead(), treeHash: try transaction.treeHash(),
                    usedBytes: try transaction.treeCounts().sizeBytes,
                    words: try transaction.words(), pages: try Self.pages(of: transaction, sizes))
            }
        } catch let error as SnapshotError { throw error } catch { throw .storage("\(error)") }
    }
}

extension TreePages: UploadSource {
    func read(_ file: Int, _ range: Range<UInt64>) async throws(ContentError) -> [UInt8] {
        guard pages.indices.contains(file) else { throw .changed }
        // What the tree is no more is found out by the hash.
        do { return try bytes(of: pages[file]) } catch { throw .changed }
    }

    func confirm(_ files: Set<Int>) async throws(ContentError) {}
}

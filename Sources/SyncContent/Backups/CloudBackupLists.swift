internal import SyncLog

/// The lists of a snapshot's domains. They follow behind what is added: an item can be written when all its
/// chunks have their places.
struct CloudBackupLists {
    enum Item {
        case begin(CloudBackupDomain)
        case record(CloudBackupRecord)
        case file(CloudBackupRecord.Facts, CutContent)
        case end
    }
    typealias Locate = (CutContent) throws -> HeldContent
    typealias Take = (CutContent.Piece, [UInt8]) throws -> Void

    private var waiting: [Item] = []
    /// Of memory that the items take which are not written yet, about.
    private(set) var waitingBytes = 0
    private var list: PieceCutter
    private var open: CloudBackupDomain?
    private var finished: [(domain: CloudBackupDomain, list: CutContent)] = []

    init(_ parameters: ChunkingParameters) {
        list = PieceCutter(parameters.ofLists)
    }

    mutating func append(_ item: Item) {
        waiting.append(item)
        waitingBytes += item.memoryBytes
    }

    /// Writes what waits; all its chunks have their places.
    /// - Parameter take: gets the lists' own pieces.
    mutating func writeWaiting(
        _ report: inout CloudBackupReport, locate: Locate, take: Take
    ) throws {
        let ready = waiting
        (waiting, waitingBytes) = ([], 0)
        for item in ready {
            switch item {
            case .begin(let domain): open = domain
            case .record(let record): try write(record, &report, take)
            case .file(let facts, let cut):
                try write(CloudBackupRecord(facts, .file(try locate(cut))), &report, take)
            case .end:
                let cut = try list.finish(take)
                if let open { finished.append((open, cut)) }
                open = nil
            }
        }
    }

    private mutating func write(
        _ record: CloudBackupRecord, _ report: inout CloudBackupReport, _ take: Take
    ) throws {
        open?.items += 1
        report.items += 1
        if case .file(let content) = record.content {
            open?.files += 1
            open?.bytes &+= content.sizeBytes
            report.files += 1
            report.bytes &+= content.sizeBytes
        }
        try list.append(record.framed(), take)
    }

    /// The domains, once the lists' pieces have their places too.
    func domains(locate: Locate) throws -> [CloudBackupDomain] {
        try finished.map { item in
            var domain = item.domain
            domain.list = try locate(item.list)
            return domain
        }
    }
}

extension CloudBackupLists.Item {
    // What each takes with its allocations, whatever it holds.
    private static let ownBytes = 512
    private static let chunkBytes = 80

    fileprivate var memoryBytes: Int {
        switch self {
        case .begin, .end: Self.ownBytes
        case .file(let facts, let cut): Self.ownBytes + facts.bytes + Self.bytes(ofChunks: cut.pieces.count)
        case .record(let record): Self.ownBytes + record.facts.bytes + Self.bytes(of: record.content)
        }
    }

    private static func bytes(of content: CloudBackupRecord.Content) -> Int {
        switch content {
        case .directory: 0
        case .symlink(let text): text.utf8.count
        case .file(let content): bytes(ofChunks: content.chunks.count)
        }
    }

    private static func bytes(ofChunks count: Int) -> Int { count * chunkBytes }
}

extension CloudBackupRecord.Facts {
    fileprivate var bytes: Int {
        attributes.reduce(path.utf8.count) { $0 + $1.name.utf8.count + $1.value.count }
    }
}

extension ChunkingParameters {
    /// Of lists: a changed item changes some 64 KiB of one, and all chunks go into packs.
    fileprivate var ofLists: ChunkingParameters {
        ChunkingParameters(
            seed: seed, minimumBytes: 16 << 10, normalBytes: 64 << 10,
            maximumBytes: CloudBackupRecord.listChunkBytes, smallFileBytes: smallFileBytes)
    }
}

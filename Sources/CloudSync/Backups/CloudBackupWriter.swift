public import CloudStore

/// Puts a snapshot together: cuts what it is given, finds out what the store has, and makes the lists. It
/// asks the store nothing; what is to be sent is taken from it with `nextBatch` and answered with `accept`.
/// Used by one thread.
public final class CloudBackupWriter {
    /// So much is gathered before it is sent: two packs.
    private static let batchBytes = 16 << 20

    let account: Account
    let start: CloudBackupStart
    let index: CloudBackupIndex
    private let deviceName: String
    private let rules: SafetyRules
    private var roomBytes: UInt64

    // What waits for chunks that are still to be sent, in the order in which it came.
    private enum Pending {
        case begin(CloudBackupDomain)
        case record(CloudBackupRecord)
        case file(CloudBackupRecord.Facts, CutContent)
        case end
    }
    private var pending: [Pending] = []
    private var queued: [CloudBackupBatch.Piece] = []
    private var queuedHashes: Set<ContentHash> = []
    private var queuedBytes = 0
    // How many of the queued ones are of files: no record can be made before they are sent.
    private var queuedOfFiles = 0

    private var files: PieceCutter
    private var list: PieceCutter
    // Whose items are added, and whose are in the list so far: it follows behind.
    private var domain = ""
    private var open: CloudBackupDomain?
    private var domains: [(domain: CloudBackupDomain, list: CutContent)] = []
    /// What was done so far.
    public private(set) var report = CloudBackupReport()

    /// - Parameters:
    ///   - index: as `CloudBackupUpload.begin` filled it.
    ///   - roomBytes: that the quota leaves; more is not sent.
    public init(
        _ account: Account, _ start: CloudBackupStart, _ index: CloudBackupIndex, deviceName: String,
        roomBytes: UInt64, rules: SafetyRules = .all
    ) {
        self.account = account
        self.start = start
        self.index = index
        self.deviceName = deviceName
        self.roomBytes = roomBytes
        self.rules = rules
        files = PieceCutter(account.format.chunking)
        list = PieceCutter(account.format.chunking.ofLists)
    }

    // MARK: Domains

    /// - Parameter time: when it was read on the device; nil: now.
    public func begin(domain name: String, version: String?, time: StoreTime? = nil) {
        domain = name
        pending.append(
            .begin(
                CloudBackupDomain(
                    name: name, version: version, time: time ?? start.date, items: 0, files: 0, bytes: 0,
                    list: HeldContent(hash: ContentHash(of: []), sizeBytes: 0, chunks: []))))
    }

    public func endDomain() throws(CloudBackupError) {
        pending.append(.end)
        try settle()
    }

    // MARK: Items

    public func addDirectory(_ facts: CloudBackupRecord.Facts) throws(CloudBackupError) {
        try add(CloudBackupRecord(facts, .directory))
    }

    public func addSymlink(_ facts: CloudBackupRecord.Facts, text: String) throws(CloudBackupError) {
        try add(CloudBackupRecord(facts, .symlink(text)))
    }

    /// Adds a file that is as the snapshot before has it, by its facts alone.
    /// - Returns: false where it is not, or where its bytes may not be relied on: it is to be read.
    public func addUnchanged(
        _ facts: CloudBackupRecord.Facts, sizeBytes: UInt64
    ) throws(CloudBackupError) -> Bool {
        guard facts.inode != 0 else { return false }
        let found = try CloudBackupError.storing { try index.record(of: facts.path, in: domain) }
        guard let found, found.facts == facts, case .file(let content) = found.content,
            content.sizeBytes == sizeBytes, try hold(content)
        else { return false }
        try add(found)
        report.unchangedFiles += 1
        report.unchangedBytes &+= content.sizeBytes
        return true
    }

    /// Bytes of the file that is being read; `isFull` says when to send.
    public func append(_ run: [UInt8]) throws(CloudBackupError) {
        do { try files.append(run, take) } catch { throw CloudBackupError(error) }
    }

    /// Forgets the file that is being read: it changed meanwhile, or is not to be had.
    public func abandonFile() { files.reset() }

    public func endFile(_ facts: CloudBackupRecord.Facts) throws(CloudBackupError) {
        do { pending.append(.file(facts, try files.finish(take))) } catch { throw CloudBackupError(error) }
        try settle()
    }

    /// A document whose bytes are in the store alone, where the log says.
    public func record(
        _ facts: CloudBackupRecord.Facts, referringTo content: FileContent
    ) throws(CloudBackupError) -> CloudBackupRecord {
        let chunks = try CloudBackupError.storing {
            try content.chunks.map { chunk in
                if let row = try index.row(chunk.hash), row.chunk.chunk == chunk { return row.chunk }
                return HeldChunk(chunk: chunk, since: start.date)
            }
        }
        return CloudBackupRecord(
            facts, .file(HeldContent(hash: content.hash, sizeBytes: content.sizeBytes, chunks: chunks)))
    }

    /// Adds an item by what the store has of it: one of the snapshot before, of an app that is not read now,
    /// or a document whose bytes are not on this device.
    /// - Returns: its chunks that may not be relied on where they lie: their bytes are to be appended, whole,
    ///   and `endFile` ends it; empty: it is added.
    public func add(stored record: CloudBackupRecord) throws(CloudBackupError) -> [HeldChunk] {
        guard case .file(let content) = record.content else {
            try add(record)
            return []
        }
        guard try hold(content) else { return content.chunks }
        try add(record)
        return []
    }

    private func add(_ record: CloudBackupRecord) throws(CloudBackupError) {
        pending.append(.record(record))
        try settle()
    }

    private func count(_ record: CloudBackupRecord) {
        open?.items += 1
        report.items += 1
        guard case .file(let content) = record.content else { return }
        open?.files += 1
        open?.bytes &+= content.sizeBytes
        report.files += 1
        report.bytes &+= content.sizeBytes
    }

    // MARK: Chunks

    /// Whether all chunks of a content may be relied on where it says; then the snapshot holds them.
    private func hold(_ content: HeldContent) throws(CloudBackupError) -> Bool {
        for held in content.chunks where try !isPresent(held) { return false }
        for held in content.chunks {
            try CloudBackupError.storing {
                let row = try index.row(held.chunk.hash)
                let marks = row?.marks ?? []
                try index.set(.init(chunk: held, marks: marks.union([.held, .present])))
            }
        }
        return true
    }

    private func isPresent(_ held: HeldChunk) throws(CloudBackupError) -> Bool {
        let hash = held.chunk.hash
        let row = try CloudBackupError.storing { try index.row(hash) }
        if let row, row.marks.contains(.present) { return row.chunk == held }
        if let row, row.chunk == held {
            let known = KnownChunk(locator: held.chunk.locator, referencedSince: held.since)
            if relies(on: held.chunk, known) { return true }
        }
        guard let (chunk, known) = try known(hash), chunk.locator == held.chunk.locator else { return false }
        return relies(on: chunk, known)
    }

    private func relies(on chunk: Chunk, _ known: KnownChunk) -> Bool {
        start.isPresent(chunk, known, account.layout, account.format.retention, rules)
    }

    private func known(_ hash: ContentHash) throws(CloudBackupError) -> (Chunk, KnownChunk)? {
        try CloudBackupError.storing { try start.known(hash, account.format.retention) }
    }

    /// A piece of a file: found in the store, or queued.
    private func take(_ piece: CutContent.Piece, _ bytes: [UInt8]) throws {
        if try enqueue(piece, bytes) { queuedOfFiles += 1 }
    }

    /// - Returns: whether it has to be sent first.
    private func enqueue(_ piece: CutContent.Piece, _ bytes: [UInt8]) throws -> Bool {
        if queuedHashes.contains(piece.hash) { return true }
        var row = try index.row(piece.hash)
        if let found = row, !found.marks.contains(.present), try !isPresent(found.chunk) { row = nil }
        if row == nil, let (chunk, known) = try known(piece.hash), relies(on: chunk, known) {
            row = .init(chunk: HeldChunk(chunk: chunk, since: start.date), marks: [])
        }
        if var row {
            row.marks.formUnion([.held, .present])
            try index.set(row)
            return false
        }
        queued.append(.init(piece: piece, bytes: bytes))
        queuedHashes.insert(piece.hash)
        queuedBytes += bytes.count
        return true
    }

    // MARK: Sending

    /// Whether what waits should be sent before more comes.
    public var isFull: Bool { queuedBytes >= Self.batchBytes }

    /// What is to be sent now; nil: nothing.
    /// - Throws: `.overQuota`.
    public func nextBatch() throws(CloudBackupError) -> CloudBackupBatch? {
        guard !queued.isEmpty else { return nil }
        guard UInt64(queuedBytes) <= roomBytes else { throw .overQuota(roomBytes: roomBytes) }
        return CloudBackupBatch(pieces: queued)
    }

    /// What was sent of the batch that `nextBatch` gave.
    public func accept(_ sent: CloudBackupBatch.Sent) throws(CloudBackupError) {
        try CloudBackupError.storing {
            for chunk in sent.chunks {
                let before = try index.row(chunk.hash)?.marks ?? []
                let held = HeldChunk(chunk: chunk, since: start.date)
                try index.set(.init(chunk: held, marks: before.union([.held, .present])))
            }
        }
        roomBytes -= min(roomBytes, UInt64(queuedBytes))
        report.sentBytes &+= UInt64(queuedBytes)
        (queued, queuedHashes, queuedBytes, queuedOfFiles) = ([], [], 0, 0)
        try settle()
    }

    /// Writes the records whose chunks all have their places into the lists.
    private func settle() throws(CloudBackupError) {
        guard queuedOfFiles == 0 else { return }
        let ready = pending
        pending = []
        do {
            for item in ready {
                switch item {
                case .begin(let domain): open = domain
                case .record(let record): try write(record)
                case .file(let facts, let cut):
                    try write(CloudBackupRecord(facts, .file(try located(cut))))
                case .end:
                    let cut = try list.finish { _ = try enqueue($0, $1) }
                    if let open { domains.append((open, cut)) }
                    open = nil
                }
            }
        } catch { throw CloudBackupError(error) }
    }

    private func write(_ record: CloudBackupRecord) throws {
        count(record)
        try list.append(record.framed()) { _ = try enqueue($0, $1) }
    }

    private func located(_ cut: CutContent) throws -> HeldContent {
        let chunks = try cut.pieces.map { piece in
            guard let row = try index.row(piece.hash), row.marks.contains(.present) else {
                throw CloudBackupError.storage("a chunk that was sent is not known")
            }
            return row.chunk
        }
        return HeldContent(hash: cut.hash, sizeBytes: cut.sizeBytes, chunks: chunks)
    }

    // MARK: The end

    /// The snapshot's root, once all is sent.
    public func root() throws(CloudBackupError) -> CloudBackupRoot {
        do {
            let domains = try domains.map { item in
                var domain = item.domain
                domain.list = try located(item.list)
                return domain
            }
            return CloudBackupRoot(
                deviceName: deviceName, base: start.base?.time, ownBytes: try ownBytes(),
                droppedBytes: start.base == nil ? 0 : try index.droppedBytes(), domains: domains)
        } catch { throw CloudBackupError(error) }
    }

    private func ownBytes() throws -> UInt64 {
        var sum: UInt64 = 0
        var last: ContentHash?
        while case let rows = try index.held(after: last, limit: 1_000), !rows.isEmpty {
            let chunks = rows.map(\.chunk.chunk)
            let areDocuments = try start.areDocuments(chunks.map(\.hash))
            for (chunk, isDocument) in zip(chunks, areDocuments) where !isDocument {
                sum &+= UInt64(chunk.sizeBytes)
            }
            last = chunks.last?.hash
        }
        return sum
    }
}

/// What a run did.
public struct CloudBackupReport: Equatable, Sendable {
    public var items = 0
    public var files = 0
    /// Of the contents of all files.
    public var bytes: UInt64 = 0
    /// Files that were not read, for the snapshot before has them as they are, and their bytes.
    public var unchangedFiles = 0
    public var unchangedBytes: UInt64 = 0
    /// What the store did not have.
    public var sentBytes: UInt64 = 0
}

extension ChunkingParameters {
    /// Of lists: a changed item changes some 64 KiB of one, and all chunks go into packs.
    var ofLists: ChunkingParameters {
        ChunkingParameters(
            seed: seed, minimumBytes: 16 << 10, normalBytes: 64 << 10,
            maximumBytes: CloudBackupRecord.listChunkBytes, smallFileBytes: smallFileBytes)
    }
}

extension CloudBackupError {
    /// For what works on storage and chunks together.
    init(_ error: any Error) {
        switch error {
        case let error as CloudBackupError: self = error
        case let error as ContentError: self = .content(error)
        case let error as StoreError: self = .content(.store(error))
        default: self = .storage("\(error)")
        }
    }
}

internal import CloudStore
package import StoreBasics
package import SyncLog

/// Puts a snapshot together: cuts what it is given, finds out what the store has, and makes the lists. It
/// asks the store nothing; what is to be sent is taken from it with `nextBatch` and answered with `accept`.
/// Used by one thread.
package final class CloudBackupWriter {
    /// So much is gathered before it is sent: two packs.
    private static let batchBytes = 16 << 20
    /// So much memory may items take that wait for a batch: a million small files have few bytes to send.
    private static let waitingBytes = 8 << 20

    private let chunks: HeldChunks
    private let deviceName: String
    private var roomBytes: UInt64
    private var queue = PieceQueue()
    private var files: PieceCutter
    private var lists: CloudBackupLists
    // Whose items are added.
    private var domain = ""
    /// What was done so far.
    package private(set) var report = CloudBackupReport()

    /// - Parameters:
    ///   - index: as `CloudBackupUpload.begin` filled it.
    ///   - roomBytes: that the quota leaves; more is not sent.
    package init(
        _ account: Account, _ start: CloudBackupStart, _ index: any CloudBackupIndex, deviceName: String,
        roomBytes: UInt64, rules: SafetyRules = .all
    ) {
        chunks = HeldChunks(account: account, start: start, index: index, rules: rules)
        self.deviceName = deviceName
        self.roomBytes = roomBytes
        files = PieceCutter(account.format.chunking)
        lists = CloudBackupLists(account.format.chunking)
    }

    // MARK: Domains

    /// - Parameter time: when it was read on the device; nil: now.
    package func begin(domain name: String, version: String?, time: StoreTime? = nil) {
        domain = name
        lists.append(
            .begin(
                CloudBackupDomain(
                    name: name, version: version, time: time ?? chunks.start.moment.date, items: 0, files: 0,
                    bytes: 0, list: HeldContent(hash: ContentHash(of: []), sizeBytes: 0, chunks: []))))
    }

    package func endDomain() throws(CloudBackupError) { try add(.end) }

    // MARK: Items

    package func addDirectory(_ facts: CloudBackupRecord.Facts) throws(CloudBackupError) {
        try add(.record(CloudBackupRecord(facts, .directory)))
    }

    package func addSymlink(_ facts: CloudBackupRecord.Facts, text: String) throws(CloudBackupError) {
        try add(.record(CloudBackupRecord(facts, .symlink(text))))
    }

    /// Adds a file that is as the snapshot before has it, by its facts alone.
    /// - Returns: false where it is not, or where its bytes may not be relied on: it is to be read.
    package func addUnchanged(
        _ facts: CloudBackupRecord.Facts, sizeBytes: UInt64
    ) throws(CloudBackupError) -> Bool {
        guard facts.inode != 0 else { return false }
        let found = try CloudBackupError.storing { try chunks.index.record(of: facts.path, in: domain) }
        guard let found, found.facts == facts, case .file(let content) = found.content,
            content.sizeBytes == sizeBytes, try chunks.hold(content)
        else { return false }
        try add(.record(found))
        report.unchangedFiles += 1
        report.unchangedBytes &+= content.sizeBytes
        return true
    }

    /// Bytes of the file that is being read; `isFull` says when to send.
    package func append(_ run: [UInt8]) throws(CloudBackupError) {
        do { try files.append(run, takeOfFile) } catch { throw CloudBackupError(error) }
    }

    /// Forgets the file that is being read: it changed meanwhile, or is not to be had.
    package func abandonFile() { files.reset() }

    package func endFile(_ facts: CloudBackupRecord.Facts) throws(CloudBackupError) {
        let cut: CutContent
        do { cut = try files.finish(takeOfFile) } catch { throw CloudBackupError(error) }
        try add(.file(facts, cut))
    }

    /// A document whose bytes are in the store alone, where the log says.
    package func record(
        _ facts: CloudBackupRecord.Facts, referringTo content: FileContent
    ) throws(CloudBackupError) -> CloudBackupRecord {
        try CloudBackupError.storing { CloudBackupRecord(facts, .file(try chunks.referred(content))) }
    }

    /// Adds an item by what the store has of it: one of the snapshot before, of an app that is not read now,
    /// or a document whose bytes are not on this device.
    /// - Returns: its chunks that may not be relied on where they lie: their bytes are to be appended, whole,
    ///   and `endFile` ends it; empty: it is added.
    package func add(stored record: CloudBackupRecord) throws(CloudBackupError) -> [HeldChunk] {
        if case .file(let content) = record.content, try !chunks.hold(content) { return content.chunks }
        try add(.record(record))
        return []
    }

    private func add(_ item: CloudBackupLists.Item) throws(CloudBackupError) {
        lists.append(item)
        try writeLists()
    }

    /// Lets the lists go on, where nothing waits for chunks that are still to be sent.
    private func writeLists() throws(CloudBackupError) {
        guard !queue.hasFiles else { return }
        do { try lists.writeWaiting(&report, locate: chunks.located, take: takeOfList) } catch {
            throw CloudBackupError(error)
        }
    }

    // MARK: Sending

    private func takeOfFile(_ piece: CutContent.Piece, _ bytes: [UInt8]) throws {
        if try enqueue(piece, bytes) { queue.keepFiles() }
    }

    private func takeOfList(_ piece: CutContent.Piece, _ bytes: [UInt8]) throws {
        _ = try enqueue(piece, bytes)
    }

    /// - Returns: whether it has to be sent first.
    private func enqueue(_ piece: CutContent.Piece, _ bytes: [UInt8]) throws -> Bool {
        if queue.contains(piece.hash) { return true }
        if try chunks.hold(piece) { return false }
        queue.append(piece, bytes)
        return true
    }

    /// Whether what waits should be sent before more comes.
    package var isFull: Bool { queue.bytes >= Self.batchBytes || lists.waitingBytes >= Self.waitingBytes }

    /// What is to be sent now; nil: nothing.
    /// - Throws: `.overQuota`.
    package func nextBatch() throws(CloudBackupError) -> CloudBackupBatch? {
        guard !queue.pieces.isEmpty else { return nil }
        guard UInt64(queue.bytes) <= roomBytes else { throw .overQuota(roomBytes: roomBytes) }
        return CloudBackupBatch(pieces: queue.pieces)
    }

    /// What was sent of the batch that `nextBatch` gave.
    package func accept(_ sent: CloudBackupBatch.Sent) throws(CloudBackupError) {
        try CloudBackupError.storing { try chunks.accept(sent) }
        roomBytes -= min(roomBytes, UInt64(queue.bytes))
        report.sentBytes &+= UInt64(queue.bytes)
        queue = PieceQueue()
        try writeLists()
    }

    // MARK: The end

    /// The snapshot's root, once all is sent.
    package func root() throws(CloudBackupError) -> CloudBackupRoot {
        do {
            return CloudBackupRoot(
                deviceName: deviceName, base: chunks.start.base?.time, ownBytes: try chunks.ownBytes(),
                droppedBytes: try chunks.droppedBytes(), domains: try lists.domains(locate: chunks.located))
        } catch { throw CloudBackupError(error) }
    }
}

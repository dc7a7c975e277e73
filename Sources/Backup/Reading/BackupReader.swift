internal import Crypto
public import Foundation
public import Posix
package import SystemPackage

/// Reads any MobileSync backup of iOS 10.2 and later, plain or encrypted, ours or a device's. It never writes
/// into its folder. Used by one thread.
public final class BackupReader {
    public let summary: Summary
    package let source: BackupSource
    let manifest: ManifestReader
    private let lookup: ManifestReader.Lookup
    /// Whether a domain's rows, and an item's, are found without a look at all others, as in every backup
    /// that a device makes.
    package let indices: (ofDomains: Bool, ofIdentifiers: Bool)
    let keys: UnlockedKeybag?
    /// Manifest.db, decrypted.
    package let list: BlobBytes
    private var folders: BlobFolders

    /// What the backup says of itself.
    public struct Summary: Sendable, Equatable {
        public let deviceName: String?
        /// The device's.
        public let identifier: String?
        public let productVersion: String?
        public let date: Date
        public let isEncrypted: Bool
        /// False for one that a device broke off: what it lists may be missing.
        public let isFinished: Bool
        public let apps: [BackedUpApp]
    }

    /// What a domain holds.
    public struct DomainSize: Sendable, Equatable {
        public internal(set) var files = 0
        /// Of the content of its files.
        public internal(set) var bytes: Int64 = 0
    }

    /// - Parameters:
    ///   - directory: the backup's folder (`BackupFolder.names` finds them), opened for reading.
    ///   - password: UTF-8; nil for a plain backup.
    /// - Throws: `passwordNeeded`, `wrongPassword`, `notABackup`, `damaged`; `refused` where a newer one is
    ///   just taking its place.
    public convenience init(
        _ directory: consuming Descriptor, password: [UInt8]? = nil
    ) throws(BackupError) {
        try self.init(BackupSource(SharedDescriptor(directory)), password: password)
    }

    /// - Parameter cacheBytes: so much of the list is kept in memory at most.
    package init(
        _ source: BackupSource, password: [UInt8]?, cacheBytes: Int = 32 << 20
    ) throws(BackupError) {
        let opened = try BackupError.translating("read the backup") {
            try FolderLock.keep(source.directory.raw)
            return try BackupFolder.Opened(source, password: password, cacheBytes: cacheBytes)
        }
        manifest = opened.manifest
        (lookup, indices) = try BackupError.translating("read the list") {
            (try opened.manifest.lookup(), try opened.manifest.indices())
        }
        keys = opened.keys
        list = opened.list
        summary = try Summary(opened.plist, in: source)
        folders = BlobFolders(in: source.directory.raw, makes: false)
        self.source = source
    }

    /// The names of all domains, sorted.
    public func domains() throws(BackupError) -> [String] { try domains { _ in } }

    /// - Parameter refused: told where rows have no domain, or there are rows that are not read.
    package func domains(refused: (RefusedRow) throws -> Void) throws(BackupError) -> [String] {
        try BackupError.translating("list the backup") {
            if let log = try unreadLog() { try refused(log) }
            return try manifest.domains(refused: refused)
        }
    }

    /// A log beside the list, which another program left: reading it would write there.
    func unreadLog() throws(Errno) -> RefusedRow? {
        guard let log = try source.openFile("Manifest.db-wal"), try ItemStamp(of: log).sizeBytes > 0 else {
            return nil
        }
        return RefusedRow("Manifest.db-wal", "may have rows that are not shown: let SQLite open Manifest.db")
    }

    /// Calls `body` with each item, of one domain or of all, in no order; memory does not grow with them.
    /// - Throws: `damaged` at the first that is not as it should be; what `body` throws, in one line.
    public func forEachItem(
        in domain: String? = nil, _ body: (StoredItem) throws -> Void
    ) throws(BackupError) {
        try BackupError.translating("list the backup") {
            try forEachRow(of: domain.map { .domain($0) } ?? .all, maybe: nil, refused: nil, body)
        }
    }

    /// As `forEachItem`; what is not as it should be is left out.
    /// - Parameter refused: told of each such row.
    package func forEachItem(
        of selection: RowSelection, refused: (RefusedRow) throws -> Void,
        _ body: (StoredItem) throws -> Void
    ) throws(BackupError) {
        try BackupError.translating("list the backup") {
            try withoutActuallyEscaping(refused) {
                try forEachRow(of: selection, maybe: nil, refused: $0, body)
            }
        }
    }

    /// As `forEachItem`, skipping at little cost what is of another kind.
    public func forEachItem(
        in domain: String, maybe kind: RowKind?, refused: ((RefusedRow) throws -> Void)?,
        _ body: (StoredItem) throws -> Void
    ) throws {
        try forEachRow(of: .domain(domain), maybe: kind, refused: refused, body)
    }

    private func forEachRow(
        of selection: RowSelection, maybe kind: RowKind?, refused: ((RefusedRow) throws -> Void)?,
        _ body: (StoredItem) throws -> Void
    ) throws {
        try manifest.forEachRow(of: selection, maybe: kind, refused: refused) { row in
            let item: StoredItem
            do throws(RefusedRow) { item = try StoredItem(row) } catch {
                guard let refused else { throw error.asError }
                return try refused(error)
            }
            try body(item)
        }
    }

    /// The item with that identifier; nil where the backup has none.
    /// - Throws: `damaged` where its row is not as it should be.
    package func item(_ identifier: FileIdentifier) throws(BackupError) -> StoredItem? {
        try BackupError.translating("read the list") {
            try lookup.row(identifier).map { row throws in
                do throws(RefusedRow) { return try StoredItem(row) } catch { throw error.asError }
            }
        }
    }

    /// Whether the list names an identifier, whatever its row says.
    func names() throws -> (FileIdentifier) throws -> Bool {
        if indices.ofIdentifiers { return lookup.hasRow }
        let all = try manifest.identifiers()
        return all.contains
    }

    /// What the blob of a file holds, to be read anywhere in it.
    /// - Returns: nil for an empty file that has none.
    /// - Throws: `damaged` where it is missing though the file is not empty, or its key does not fit.
    package func bytes(of item: StoredItem) throws(BackupError) -> BlobBytes? {
        try BackupError.translating("read \(item.domain)/\(item.path)") {
            guard let blob = try source.openFile(item.identifier.blobPath) else {
                guard item.sizeBytes == 0 else { throw missing(item) }
                return nil
            }
            return try BlobBytes(blob, item.sizeBytes == 0 ? nil : key(of: item))
        }
    }

    /// As `bytes(of:)` for a backup that is not encrypted: its records have no part in that. From any thread.
    package static func plainBytes(
        _ identifier: FileIdentifier, in source: BackupSource
    ) throws(Errno) -> BlobBytes? {
        guard let file = try source.openFile(identifier.blobPath) else { return nil }
        return try BlobBytes(file)
    }

    /// - Returns: nil in a backup that is not encrypted.
    private func key(of item: StoredItem) throws(BackupError) -> SymmetricKey? {
        try keys?.open(item.record.encryptionKey ?? [])
    }

    /// - Parameter refused: told of each row that is not as it should be, and does not count.
    package func size(
        of domain: String, refused: (RefusedRow) throws -> Void
    ) throws(BackupError) -> DomainSize {
        var size = DomainSize()
        try forEachItem(of: .domain(domain), refused: refused) { item in
            guard item.kind == .file else { return }
            size.files += 1
            size.bytes = size.bytes.addingReportingOverflow(item.sizeBytes).partialValue
        }
        return size
    }

    /// The bytes of a file.
    /// - Throws: `damaged` where its blob is missing, or no regular file, or its key does not fit.
    public func content(of item: StoredItem) throws(BackupError) -> StoredContent {
        try BackupError.translating("read \(item.domain)/\(item.path)") {
            let decryptor = try key(of: item).map(BlobDecryptor.init)
            let blob = try source.openFile(item.identifier.blobPath)
            let hasBlob = blob != nil
            guard hasBlob || item.sizeBytes == 0 else { throw missing(item) }
            return StoredContent(item, blob, hasBlob ? decryptor : nil)
        }
    }

    /// The SHA-256 of a file's content, in hexadecimal digits.
    /// - Throws: as `content`, also where the content is not what was backed up.
    public func sha256(of item: StoredItem) throws(BackupError) -> String {
        let content = try content(of: item)
        var hash = SHA256()
        while let piece = try content.next() { hash.update(data: piece) }
        return Hex.text(Array(hash.finalize()))
    }

    /// Compares a file's blob with its record, without reading it: length, and that there is a key.
    public func check(_ item: StoredItem) throws {
        let expected = keys == nil ? item.sizeBytes : BlobCipher.encryptedBytes(of: item.sizeBytes)
        if item.sizeBytes > 0 { _ = try key(of: item) }
        guard let stamp = try blobStamp(item) else {
            guard item.sizeBytes == 0 else { throw missing(item) }
            return
        }
        let isEmpty = item.sizeBytes == 0 && stamp.sizeBytes == 0
        guard stamp.isRegular, isEmpty || stamp.sizeBytes == UInt64(clamping: expected) else {
            throw BackupError.damaged("\(item.domain)/\(item.path) is not as long as the backup says")
        }
    }

    private func blobStamp(_ item: StoredItem) throws(Errno) -> ItemStamp? {
        do throws(Errno) {
            return try ItemStamp(try folders.folder(of: item.identifier), item.identifier.description)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private func missing(_ item: StoredItem) -> BackupError {
        .damaged("the content of \(item.domain)/\(item.path) is missing")
    }
}

extension BackupReader.Summary {
    /// Of a backup in a folder, as far as no password is needed for it.
    /// - Throws: `notABackup`, `damaged`.
    package init(of source: BackupSource) throws(BackupError) {
        let plist = try BackupError.translating("read the backup") { try BackupFolder.plist(source) }
        try self.init(plist, in: source)
    }

    init(_ plist: ManifestPlist, in source: BackupSource) throws(BackupError) {
        let isFinished = try BackupError.translating("read the backup") {
            try source.read(StatusPlist.fileName, limitBytes: 1 << 20).map(StatusPlist.isFinished) ?? true
        }
        deviceName = plist.deviceName
        identifier = plist.identifier
        productVersion = plist.productVersion
        date = plist.date
        isEncrypted = plist.isEncrypted
        self.isFinished = isFinished
        apps = plist.apps
    }
}

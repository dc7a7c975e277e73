public import Foundation
public import Posix
internal import SystemPackage

/// Reads any MobileSync backup of iOS 10.2 and later, plain or encrypted, ours or a device's. It never writes
/// into its folder. Used by one thread.
public final class BackupReader {
    public let summary: Summary
    private let directory: Descriptor
    private let manifest: ManifestReader
    private let keys: UnlockedKeybag?
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
    ///   - scratch: as for `BackupWriter`: an encrypted backup's list is laid open in a file without a name.
    /// - Throws: `passwordNeeded`, `wrongPassword`, `notABackup`, `damaged`; `refused` where a newer one is
    ///   just taking its place.
    public init(
        _ directory: consuming Descriptor, password: [UInt8]? = nil, scratch: borrowing Descriptor
    ) throws(BackupError) {
        let (raw, scratchRaw) = (directory.raw, scratch.raw)
        let opened = try BackupError.translating("read the backup") {
            try FolderLock.keep(raw)
            return try BackupFolder.Opened(raw, password: password, scratch: scratchRaw)
        }
        let isFinished = try BackupError.translating("read the backup") {
            try Files.read(raw, StatusPlist.fileName, limitBytes: 1 << 20).map(StatusPlist.isFinished) ?? true
        }
        manifest = opened.manifest
        keys = opened.keys
        summary = Summary(opened.plist, isFinished: isFinished)
        folders = BlobFolders(in: raw, makes: false)
        self.directory = directory
    }

    /// The names of all domains, sorted.
    public func domains() throws(BackupError) -> [String] {
        try BackupError.translating("list the backup") { try manifest.domains() }
    }

    /// Calls `body` with each item, of one domain or of all, in no order; memory does not grow with them.
    /// - Throws: `damaged` at the first that is not as it should be; what `body` throws, in one line.
    public func forEachItem(
        in domain: String? = nil, _ body: (StoredItem) throws -> Void
    ) throws(BackupError) {
        try BackupError.translating("list the backup") {
            try manifest.forEachRow(in: domain) { try body(try StoredItem($0)) }
        }
    }

    /// As `forEachItem`, skipping at little cost what is of another kind.
    public func forEachItem(in domain: String, maybe kind: RowKind?, _ body: (StoredItem) throws -> Void)
        throws
    {
        try manifest.forEachRow(in: domain, maybe: kind) { try body(try StoredItem($0)) }
    }

    public func size(of domain: String) throws(BackupError) -> DomainSize {
        var size = DomainSize()
        try forEachItem(in: domain) { item in
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
            let decryptor = try keys.map { try BlobDecryptor($0.open(item.record.encryptionKey ?? [])) }
            let blob = try FileTree.openFile(
                directory.raw, "\(item.identifier.folder)/\(item.identifier.description)")
            let hasBlob = blob != nil
            guard hasBlob || item.sizeBytes == 0 else { throw missing(item) }
            return StoredContent(item, blob, hasBlob ? decryptor : nil)
        }
    }

    /// Compares a file's blob with its record, without reading it: length, and that there is a key.
    public func check(_ item: StoredItem) throws {
        let expected = keys == nil ? item.sizeBytes : BlobCipher.encryptedBytes(of: item.sizeBytes)
        if let keys, item.sizeBytes > 0 { _ = try keys.open(item.record.encryptionKey ?? []) }
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
    init(_ plist: ManifestPlist, isFinished: Bool) {
        deviceName = plist.deviceName
        identifier = plist.identifier
        productVersion = plist.productVersion
        date = plist.date
        isEncrypted = plist.isEncrypted
        self.isFinished = isFinished
        apps = plist.apps
    }
}

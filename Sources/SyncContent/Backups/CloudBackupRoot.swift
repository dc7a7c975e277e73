internal import CloudStore
package import StoreBasics
internal import SyncLog

/// The object of a backup snapshot: what it holds of which domain, and where the lists of the items lie. Like
/// everything in a store it may be anybody's: sizes and counts are bounded when it is read.
package struct CloudBackupRoot: Equatable, Sendable {
    static let version: UInt64 = 1
    private static let domainLimit = 20_000
    private static let textBytes = 1024

    /// How the device is called, for people.
    package var deviceName: String
    /// The device's snapshot before it, whose chunks it went on with; nil for a first one.
    package var base: StoreTime?
    /// Of the chunks that it refers to and that no document of an app here did, each once: what it takes of
    /// the quota. The next snapshot counts anew.
    package var ownBytes: UInt64 = 0
    /// The same of the chunks that `base` referred to and this one does not: what keeping `base` takes.
    package var droppedBytes: UInt64 = 0
    package var domains: [CloudBackupDomain]

    func encoded() -> [UInt8] {
        var writer = CBORWriter(capacity: 4096)
        writer.array(6)
        writer.unsigned(Self.version)
        writer.text(deviceName)
        writer.unsigned(UInt64(clamping: base?.seconds ?? 0))
        writer.unsigned(ownBytes)
        writer.unsigned(droppedBytes)
        writer.list(domains) { $1.encode(to: &$0) }
        return writer.bytes
    }
}

extension CloudBackupRoot {
    init(_ bytes: [UInt8]) throws(CodingError) {
        var reader = CBORReader(bytes)
        let count = try reader.array()
        if try reader.unsigned() != Self.version { throw .invalid("a later version") }
        if count != 6 { throw .unexpected }
        deviceName = try reader.text(upTo: Self.textBytes)
        let base = try reader.time()
        self.base = base.seconds > 0 ? base : nil
        ownBytes = try reader.unsigned()
        droppedBytes = try reader.unsigned()
        domains = []
        var names: Set<String> = []
        var listed: UInt64 = 0
        for _ in 0..<(try reader.array(upTo: Self.domainLimit)) {
            let domain = try CloudBackupDomain(from: &reader)
            // No overflow: fewer than there are bytes of this root, and none is larger than a list may be.
            listed += domain.list.sizeBytes
            guard listed <= CloudBackupDomain.listBytes else { throw .tooLarge }
            guard names.insert(domain.name).inserted else { throw .invalid("two domains of one name") }
            domains.append(domain)
        }
        try reader.end()
    }
}

/// An app's data in a snapshot, or a group's.
package struct CloudBackupDomain: Equatable, Sendable {
    private static let textBytes = 1024
    /// Of all lists of a snapshot: some 25 million items.
    static let listBytes: UInt64 = 4 << 30

    /// As in a backup of MobileSync's form: `AppDomain-<bundle identifier>`.
    package var name: String
    /// Of the app; nil for a group.
    package var version: String?
    /// When this was read on the device: earlier than the snapshot where that was made of other apps.
    package var time: StoreTime
    package var items: UInt64
    package var files: UInt64
    /// Of the contents of all files.
    package var bytes: UInt64
    /// `CloudBackupRecord`s, each behind its length.
    var list: HeldContent

    fileprivate func encode(to writer: inout CBORWriter) {
        writer.array(7)
        writer.text(name)
        writer.text(version ?? "")
        writer.unsigned(UInt64(clamping: time.seconds))
        writer.unsigned(items)
        writer.unsigned(files)
        writer.unsigned(bytes)
        list.encode(to: &writer)
    }
}

extension CloudBackupDomain {
    fileprivate init(from reader: inout CBORReader) throws(CodingError) {
        try reader.array(of: 7)
        name = try reader.text(upTo: Self.textBytes)
        let version = try reader.text(upTo: Self.textBytes)
        self.version = version.isEmpty ? nil : version
        time = try reader.time()
        items = try reader.unsigned()
        files = try reader.unsigned()
        bytes = try reader.unsigned()
        list = try HeldContent(from: &reader, chunkBytes: CloudBackupRecord.listChunkBytes)
        guard list.sizeBytes <= Self.listBytes else { throw .tooLarge }
    }
}

/// An item as a backup has it.
public struct StoredItem: Sendable {
    public enum Kind: Sendable, Equatable {
        case file
        case directory
        /// With its text.
        case symlink(String)
    }

    public let domain: String
    /// From the domain's root, parts joined by `/`; "" is the root itself. Checked: it leads nowhere else.
    public let path: String
    public let kind: Kind
    public var sizeBytes: Int64 { record.sizeBytes }
    /// Type and permissions, as st_mode.
    public var mode: UInt32 { record.mode }
    /// Since 1970.
    public var modifiedSeconds: Int64 { record.modifiedSeconds }

    let identifier: FileIdentifier
    let rowKind: RowKind
    let record: FileRecord

    /// An item of a backup of another form than MobileSync's.
    ///
    /// - Parameters:
    ///   - modifiedSeconds: since 1970.
    ///   - attributes: under the names that apps know.
    /// - Throws: as for a row of a MobileSync backup.
    public init(
        domain: String, path: String, kind: Kind, sizeBytes: Int64 = 0, mode: UInt32, modifiedSeconds: Int64,
        attributes: [(name: String, value: [UInt8])]
    ) throws(BackupError) {
        var record = FileRecord(mode: mode)
        (record.sizeBytes, record.modifiedSeconds) = (sizeBytes, modifiedSeconds)
        record.attributes = attributes.map { FileRecord.Attribute(name: $0.name, value: $0.value) }
        let rowKind: RowKind
        switch kind {
        case .file: rowKind = .file
        case .directory: rowKind = .directory
        case .symlink(let text):
            rowKind = .symlink
            record.target = text
        }
        guard sizeBytes >= 0 else { throw .damaged("\(domain)/\(path) has less than no bytes") }
        try self.init(
            ManifestReader.Row(
                identifier: FileIdentifier(domain: domain, path: path), domain: domain, path: path,
                kind: rowKind, record: record, archived: []))
    }

    /// - Throws: `damaged` for a path that leads out of the domain, or a link without a text.
    init(_ row: ManifestReader.Row) throws(BackupError) {
        guard row.path.isEmpty || StoredPath.isValid(row.path) else {
            throw .damaged("\(row.domain) has an item with the path \"\(row.path)\"")
        }
        domain = row.domain
        path = row.path
        identifier = row.identifier
        rowKind = row.kind
        record = row.record
        switch row.kind {
        case .file: kind = .file
        case .directory: kind = .directory
        case .symlink:
            guard let text = row.record.target, LinkText.isValid(text) else {
                throw .damaged("\(row.domain)/\(row.path) is a link that leads nowhere")
            }
            kind = .symlink(text)
        }
    }
}

/// Paths of items in a backup.
enum StoredPath {
    private static let partLimitBytes = 255
    private static let limitBytes = 4095

    /// Whether `path` is a chain of names that stays below where it begins.
    static func isValid(_ path: String) -> Bool {
        guard (1...limitBytes).contains(path.utf8.count) else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            (1...partLimitBytes).contains($0.count) && !$0.contains(0) && !$0.elementsEqual(".".utf8)
                && !$0.elementsEqual("..".utf8)
        }
    }
}

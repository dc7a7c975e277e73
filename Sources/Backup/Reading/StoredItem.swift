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

    package let identifier: FileIdentifier
    let rowKind: RowKind
    package let record: FileRecord

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
        let row = ManifestReader.Row(
            identifier: FileIdentifier(domain: domain, path: path), domain: domain, path: path,
            kind: rowKind, record: record, archived: [])
        do throws(RefusedRow) { try self.init(row) } catch { throw error.asError }
    }

    /// - Throws: for a path that leads out of the domain, or a link without a text.
    init(_ row: ManifestReader.Row) throws(RefusedRow) {
        guard row.path.isEmpty || StoredPath.isValid(row.path) else {
            throw RefusedRow("\(row.domain)/\(row.path)", "has a path that no item can have")
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
                throw RefusedRow("\(row.domain)/\(row.path)", "is a link that leads nowhere")
            }
            kind = .symlink(text)
        }
    }
}

/// Paths of items in a backup.
package enum StoredPath {
    /// Of a name, in UTF-16: iOS counts so.
    private static let nameLimitUnits = 255
    private static let limitBytes = 4095

    /// Whether `path` is a chain of names that stays below where it begins.
    static func isValid(_ path: String) -> Bool {
        guard (1...limitBytes).contains(path.utf8.count) else { return false }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { isName(Substring($0)) }
    }

    /// Whether it can be the name of an item: it leads nowhere else.
    package static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text != "." && text != ".." && text.utf16.count <= nameLimitUnits
            && !text.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}

internal import Backup
internal import FoundationEssentials
internal import Posix
internal import Wire

/// `backup list --files`: every item of a backup, one after the other.
struct BackupFilesListing {
    enum Form {
        case table, json, csv
        /// A body file, as mactime(1) and other timelines read it.
        case timeline
    }

    let form: Form
    /// Reads every file's content.
    let hashes: Bool

    /// - Returns: rows and files that were not as they should be.
    func print(_ reader: BackupReader) throws -> RefusedNotes {
        var refused = RefusedNotes()
        var isFirst = true
        if form == .csv { Swift.print(BackedUpItemReport.columns.joined(separator: ",")) }
        if form == .json { Swift.print("[", terminator: "") }
        // Also where the list cannot be read to its end.
        defer { if form == .json { Swift.print(isFirst ? "]" : "\n]") } }
        try reader.forEachItem(of: .all) {
            refused.note($0.text)
        } _: { item in
            var report = BackedUpItemReport(item)
            if hashes, item.kind == .file {
                do throws(BackupError) { report.sha256 = try reader.sha256(of: item) } catch {
                    refused.note(error.message)
                }
            }
            try print(report, isFirst: isFirst)
            isFirst = false
        }
        return refused
    }

    private func print(_ report: BackedUpItemReport, isFirst: Bool) throws {
        switch form {
        case .table:
            let columns = [report.modeText, "\(report.size)", report.modified, report.sha256]
            let text = columns.compactMap { $0 }.joined(separator: "  ")
            Swift.print(printable("\(text)  \(report.domain)/\(report.path)"))
        case .json: Swift.print(isFirst ? "\n" : ",\n", try jsonText(report), separator: "", terminator: "")
        case .csv: Swift.print(report.cells.map(Self.quoted).joined(separator: ","))
        case .timeline: Swift.print(report.bodyLine)
        }
    }

    /// A cell of CSV (RFC 4180).
    private static func quoted(_ cell: String) -> String {
        guard cell.unicodeScalars.contains(where: { [",", "\"", "\r", "\n"].contains($0) }) else {
            return cell
        }
        return "\"" + cell.replacingScalar("\"", with: "\"\"") + "\""
    }
}

/// What `backup list --files --json` prints of an item.
struct BackedUpItemReport: Encodable {
    var domain: String
    var path: String
    var fileID: String
    /// file, directory or symlink.
    var kind: String
    /// Of the content.
    var size: Int64
    /// Permissions, octal.
    var mode: String
    var user: Int64
    var group: Int64
    /// ISO 8601, UTC, as the two below.
    var modified: String
    var changed: String
    var born: String
    var protectionClass: UInt32
    var inode: UInt64
    /// A symlink's text.
    var target: String?
    var sha256: String?
    private var times: Times

    private struct Times {
        var modified: Int64 = 0
        var changed: Int64 = 0
        var born: Int64 = 0
    }

    private enum CodingKeys: CodingKey {
        case domain, path, fileID, kind, size, mode, user, group, modified, changed, born, protectionClass
        case inode, target, sha256
    }

    init(_ item: StoredItem) {
        let record = item.record
        (domain, path, fileID) = (item.domain, item.path, "\(item.identifier)")
        (size, user, group) = (record.sizeBytes, record.userID, record.groupID)
        mode = "0" + String(record.mode & FileMode.permissions, radix: 8)
        (protectionClass, inode) = (record.protectionClass, record.inode)
        times = Times(
            modified: record.modifiedSeconds, changed: record.changedSeconds, born: record.birthSeconds)
        (modified, changed, born) = (
            timeText(Double(times.modified)), timeText(Double(times.changed)), timeText(Double(times.born))
        )
        switch item.kind {
        case .file: kind = "file"
        case .directory: kind = "directory"
        case .symlink(let text): (kind, target) = ("symlink", text)
        }
    }

    static let columns = [
        "domain", "path", "fileID", "kind", "size", "mode", "user", "group", "modified", "changed", "born",
        "protectionClass", "inode", "target", "sha256",
    ]

    var cells: [String] {
        [
            domain, path, fileID, kind, "\(size)", mode, "\(user)", "\(group)", modified, changed, born,
            "\(protectionClass)", "\(inode)", target ?? "", sha256 ?? "",
        ]
    }

    /// As ls(1) shows it.
    var modeText: String {
        let bits = Int(mode, radix: 8) ?? 0
        let type = ["directory": "d", "symlink": "l"][kind] ?? "-"
        return zip((0..<9).reversed(), "rwxrwxrwx").reduce(into: type) { text, bit in
            text.append(bits >> bit.0 & 1 == 1 ? bit.1 : "-")
        }
    }

    /// MD5|name|inode|mode|UID|GID|size|atime|mtime|ctime|crtime, which no backup has all of. What ends a
    /// field or a line is escaped.
    var bodyLine: String {
        let link = target.map { " -> \($0)" } ?? ""
        let name = "\(domain)/\(path)\(link)".printableLine.replacingScalar("|", with: "\\|")
        return "0|\(name)|\(inode)|\(modeText)|\(user)|\(group)|\(size)|\(times.modified)|\(times.modified)|"
            + "\(times.changed)|\(times.born)"
    }
}

extension String {
    /// As `replacing`, also where the scalar is part of a longer character.
    fileprivate func replacingScalar(_ scalar: Unicode.Scalar, with text: String) -> String {
        unicodeScalars.reduce(into: "") { made, next in
            if next == scalar { made += text } else { made.unicodeScalars.append(next) }
        }
    }
}

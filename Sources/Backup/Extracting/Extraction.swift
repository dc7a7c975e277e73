internal import CLinux
package import Posix
internal import SystemPackage

/// What was taken out of a backup.
public struct ExtractionReport: Sendable, Equatable {
    public internal(set) var items = 0
    public internal(set) var files = 0
    public internal(set) var bytes: Int64 = 0
    public internal(set) var leftOut = LeftOutAttributes()
}

extension BackupReader {
    /// The domain that a person means: by its name, or that of its app, group or extension.
    /// - Throws: `notThere`.
    package func domain(named name: String) throws(BackupError) -> String {
        let known = try domains()
        let meant = [name, Self.domain(ofApp: name), Self.domain(ofGroup: name), "AppDomainPlugin-\(name)"]
        guard let found = meant.first(where: known.contains) else {
            throw BackupError(.notThere, "this backup has nothing of \(name): backup list says what it has")
        }
        return found
    }

    /// Writes items of a domain below a directory, which must be empty: nothing leads out of it.
    ///
    /// What is not as it should be, or cannot be written there, loses itself alone.
    /// - Parameters:
    ///   - paths: in the domain, with all that is below; none: all of it.
    ///   - refused: told of each item that was not written.
    /// - Throws: `notThere` where nothing has such a path; `noRoom`; what `refused` throws.
    package func extract(
        _ domain: String, _ paths: [String], into target: borrowing Descriptor,
        refused: (RefusedRow) throws -> Void
    ) throws(BackupError) -> ExtractionReport {
        let raw = target.raw
        return try BackupError.translating("extract from \(domain)") {
            var run = ExtractionRun(reader: self, writer: try TreeWriter(root: raw, owner: nil), paths: paths)
            for kind in [RowKind.directory, .file, .symlink] {
                // Rows are the same each time: named once.
                try forEachItem(of: .domain(domain)) { row in
                    if kind == .directory { try refused(row) }
                } _: { item in
                    try run.write(item, kind, refused)
                }
            }
            try forEachItem(of: .domain(domain)) { _ in
            } _: {
                try run.finish($0, refused)
            }
            try run.writer.finishAll()
            for path in run.missing { try refused(RefusedRow("\(domain)/\(path)", "is not there")) }
            guard run.report.items > 0 || run.missing.isEmpty else {
                throw BackupError(.notThere, "\(domain) has nothing at \(paths.joined(separator: ", "))")
            }
            run.report.leftOut = run.writer.leftOut
            return run.report
        }
    }
}

private struct ExtractionRun {
    let reader: BackupReader
    let writer: TreeWriter
    /// None: all of the domain.
    private let paths: [String]
    /// Those of them that nothing has so far.
    private(set) var missing: Set<String>
    var report = ExtractionReport()

    init(reader: BackupReader, writer: TreeWriter, paths: [String]) {
        self.reader = reader
        self.writer = writer
        self.paths = paths.contains("") ? [] : paths
        missing = Set(self.paths)
    }

    private func isMeant(_ item: StoredItem) -> Bool {
        !item.path.isEmpty && (paths.isEmpty || paths.contains { item.path.isPath(in: $0) })
    }

    mutating func write(
        _ item: StoredItem, _ kind: RowKind, _ refused: (RefusedRow) throws -> Void
    ) throws {
        guard item.rowKind == kind, isMeant(item) else { return }
        missing = missing.filter { !item.path.isPath(in: $0) }
        try losingItself(item, refused) {
            switch item.kind {
            case .directory: try writer.makeDirectory(item.path)
            case .symlink(let text):
                try writer.makeSymlink(
                    item.path, text: text, modified: .init(seconds: item.modifiedSeconds))
            case .file:
                try writeFile(item)
                report.files += 1
                report.bytes = report.bytes.addingSaturated(item.sizeBytes)
            }
            report.items += 1
        }
    }

    private func writeFile(_ item: StoredItem) throws {
        try writer.makeFile(item.path, item.writtenAttributes, discardsHalf: true) { file in
            let content = try reader.content(of: item)
            while let piece = try content.next() { try file.writeAll(piece) }
        }
    }

    func finish(_ item: StoredItem, _ refused: (RefusedRow) throws -> Void) throws {
        guard item.kind == .directory, isMeant(item) else { return }
        try losingItself(item, refused) {
            try writer.finish(directory: item.path, item.writtenAttributes)
        }
    }

    private func losingItself(
        _ item: StoredItem, _ refused: (RefusedRow) throws -> Void, _ body: () throws -> Void
    ) throws {
        let name = "\(item.domain)/\(item.path)"
        do { try body() } catch let error as BackupError where ![.noRoom, .cancelled].contains(error.kind) {
            try refused(RefusedRow(error.what, ""))
        } catch let error as Errno {
            switch error {
            // Nothing else can be written either.
            case .noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .canceled: throw error
            case .fileNameTooLong: try refused(RefusedRow(name, "has a name that no file here can have"))
            case .fileExists, .notDirectory, .tooManySymbolicLinkLevels, .improperLink:
                try refused(RefusedRow(name, "is in another item's way"))
            default: try refused(RefusedRow(name, "cannot be written: \(error)"))
            }
        }
    }
}

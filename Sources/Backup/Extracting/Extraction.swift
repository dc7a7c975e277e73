internal import CLinux
package import Posix
internal import SystemPackage

/// What was taken out of a backup.
public struct ExtractionReport: Sendable, Equatable {
    public internal(set) var items = 0
    public internal(set) var files = 0
    public internal(set) var bytes: Int64 = 0
    /// Extended attributes that items could not be given: path and name of each.
    public internal(set) var leftOut = NamedItems(most: 5)
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
            let writer = try TreeWriter(root: raw, owner: nil, isHome: false)
            var run = ExtractionRun(FolderTarget(reader: self, writer: writer), paths)
            try extract(domain, &run, refused)
            try forEachItem(of: .domain(domain)) { _ in
            } _: {
                try run.finish($0, refused)
            }
            try writer.finishAll()
            run.report.leftOut = writer.leftOut
            return run.report
        }
    }

    /// As `extract(_:_:into:refused:)`, as a tar archive with the paths of a device.
    /// - Parameter file: written from where it stands; it may be a pipe.
    package func archive(
        _ domain: String, _ paths: [String], to file: Int32, refused: (RefusedRow) throws -> Void
    ) throws(BackupError) -> ExtractionReport {
        try BackupError.translating("archive \(domain)") {
            let place = DomainPlace.names(of: domain) ?? DomainPlace.namesOfRefused(domain)
            let archive = try TarArchive(to: file)
            var run = ExtractionRun(ArchiveTarget(reader: self, archive: archive, place: place), paths)
            try extract(domain, &run, refused)
            try archive.finish()
            return run.report
        }
    }

    private func extract(
        _ domain: String, _ run: inout ExtractionRun, _ refused: (RefusedRow) throws -> Void
    ) throws {
        for kind in [RowKind.directory, .file, .symlink] {
            // Rows are the same each time: named once.
            try forEachItem(of: .domain(domain)) { row in
                if kind == .directory { try refused(row) }
            } _: { item in
                try run.write(item, kind, refused)
            }
        }
        for path in run.missing { try refused(RefusedRow("\(domain)/\(path)", "is not there")) }
        guard run.report.items > 0 || run.missing.isEmpty else {
            throw BackupError(.notThere, "\(domain) has nothing at \(run.paths.joined(separator: ", "))")
        }
    }
}

/// Where items go that are taken out.
private protocol ExtractionTarget {
    func write(_ item: StoredItem) throws
    /// To be called for directories, when all is written.
    func finish(_ item: StoredItem) throws
}

private struct FolderTarget: ExtractionTarget {
    let reader: BackupReader
    let writer: TreeWriter

    func write(_ item: StoredItem) throws {
        switch item.kind {
        case .directory: try writer.makeDirectory(item.path)
        case .symlink(let text):
            try writer.makeSymlink(item.path, text: text, modified: .init(seconds: item.modifiedSeconds))
        case .file:
            try writer.makeFile(item.path, item.writtenAttributes, discardsHalf: true) { file in
                let content = try reader.content(of: item)
                var target = SparseFile(file.raw)
                while let piece = try content.next() { try target.write(piece) }
                try target.finish()
            }
        }
    }

    func finish(_ item: StoredItem) throws {
        try writer.finish(directory: item.path, item.writtenAttributes)
    }
}

private struct ArchiveTarget: ExtractionTarget {
    /// A larger file is read twice, so that none comes into the archive that is not whole.
    private static let inMemoryBytes = 16 << 20

    let reader: BackupReader
    let archive: TarArchive
    let place: [String]

    func write(_ item: StoredItem) throws {
        let path = (place + [item.path]).joined(separator: "/")
        guard item.kind == .file else { return try archive.add(item, at: path) }
        var content = try reader.content(of: item)
        var kept: [UInt8] = []
        let isKept = item.sizeBytes <= Self.inMemoryBytes
        while let piece = try content.next() { if isKept { kept += piece } }
        try archive.add(item, at: path)
        if isKept { return try archive.write(kept) }
        content = try reader.content(of: item)
        while let piece = try content.next() { try archive.write(piece) }
    }

    func finish(_ item: StoredItem) {}
}

private struct ExtractionRun {
    private let target: any ExtractionTarget
    /// None: all of the domain.
    let paths: [String]
    /// Those of them that nothing has so far.
    private(set) var missing: Set<String>
    var report = ExtractionReport()

    init(_ target: any ExtractionTarget, _ paths: [String]) {
        self.target = target
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
            try target.write(item)
            report.items += 1
            guard item.kind == .file else { return }
            report.files += 1
            report.bytes = report.bytes.addingSaturated(item.sizeBytes)
        }
    }

    func finish(_ item: StoredItem, _ refused: (RefusedRow) throws -> Void) throws {
        guard item.kind == .directory, isMeant(item) else { return }
        try losingItself(item, refused) { try target.finish(item) }
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
            case .noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .canceled, .brokenPipe: throw error
            case .fileNameTooLong: try refused(RefusedRow(name, "has a name that no file here can have"))
            case .fileExists, .notDirectory, .tooManySymbolicLinkLevels, .improperLink:
                try refused(RefusedRow(name, "is in another item's way"))
            default: try refused(RefusedRow(name, "cannot be written: \(error)"))
            }
        }
    }
}

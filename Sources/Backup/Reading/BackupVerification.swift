internal import Posix
internal import SystemPackage

/// What is wrong with a backup, as a look through all of it shows.
public struct BackupVerification: Sendable, Equatable {
    /// Something that is not as it should be.
    public struct Problem: Sendable, Equatable {
        public enum Kind: String, Sendable, CaseIterable {
            /// A row of the list that contradicts itself.
            case row
            /// A file's blob that is missing, or is not what the list says.
            case blob
            /// A blob that no row names.
            case orphan
            /// A file that no backup has.
            case foreign
        }

        public let kind: Kind
        /// One line that names it. Parts of it come from outside: to be escaped before it is shown.
        public let text: String
    }

    public internal(set) var items = 0
    public internal(set) var files = 0
    /// Of the content of files that are whole.
    public internal(set) var bytes: Int64 = 0
    public internal(set) var problems: [Problem] = []
    /// Also of those that are not listed: there are too many.
    public internal(set) var problemCount = 0

    private static let problemLimit = 10_000

    mutating func add(_ kind: Problem.Kind, _ text: String) {
        problemCount += 1
        if problems.count < Self.problemLimit { problems.append(Problem(kind: kind, text: text)) }
    }
}

extension BackupReader {
    /// Reads all of the backup: every row, every blob with its digest, every name in its folder.
    /// - Throws: where the list itself cannot be read.
    public func verify() throws(BackupError) -> BackupVerification {
        var found = BackupVerification()
        try forEachItem(of: .all) {
            found.add(.row, $0.text)
        } _: { item in
            found.items += 1
            if item.kind == .file { self.verify(item, &found) }
        }
        if let log = try BackupError.translating("look for a log", unreadLog) { found.add(.row, log.text) }
        try BackupError.translating("look through the backup's folder") { try verifyNames(&found) }
        return found
    }

    private func verify(_ item: StoredItem, _ found: inout BackupVerification) {
        found.files += 1
        do throws(BackupError) {
            let content = try content(of: item)
            while try content.next() != nil {}
            found.bytes = found.bytes.addingSaturated(item.sizeBytes)
        } catch {
            found.add(.blob, error.what)
        }
    }

    /// What the tools that make backups put beside the blobs.
    private static let known: Set<String> = [
        BackupFolder.manifestDatabase, "Manifest.db-wal", "Manifest.db-shm", InfoPlist.fileName,
        ManifestPlist.fileName, StatusPlist.fileName,
    ]

    private func verifyNames(_ found: inout BackupVerification) throws {
        let isNamed = try names()
        for entry in try source.entries(of: ".") where !Self.known.contains(entry) {
            let isFolder = entry.utf8.count == 2 && entry.utf8.allSatisfy(Hex.isDigit)
            guard isFolder, let names = try? source.entries(of: entry) else {
                found.add(.foreign, "\(entry) is nothing that a backup has")
                continue
            }
            for name in names { try verify(blob: name, in: entry, isNamed, &found) }
        }
    }

    private func verify(
        blob name: String, in folder: String, _ isNamed: (FileIdentifier) throws -> Bool,
        _ found: inout BackupVerification
    ) throws {
        guard let identifier = FileIdentifier(name), name.hasPrefix(folder) else {
            return found.add(.foreign, "\(folder)/\(name) is nothing that a backup has")
        }
        if try !isNamed(identifier) { found.add(.orphan, "\(name) is a blob that the list does not name") }
    }
}

extension BackupSource {
    /// How many blobs there are, and their bytes as they are stored: what can be known without a password.
    package func stored() throws(BackupError) -> BackupReader.DomainSize {
        try BackupError.translating("look through the backup's folder") {
            var size = BackupReader.DomainSize()
            for number in UInt8.min...UInt8.max {
                let folder = FileIdentifier.folder(number)
                for name in (try? entries(of: folder)) ?? [] where FileIdentifier(name) != nil {
                    let stamp = try ItemStamp(directory.raw, "\(folder)/\(name)")
                    size.files += 1
                    size.bytes = size.bytes.addingSaturated(Int64(clamping: stamp.sizeBytes))
                }
            }
            return size
        }
    }
}

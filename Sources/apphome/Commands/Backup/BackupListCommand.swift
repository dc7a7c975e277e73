internal import ArgumentParser
internal import Backup
internal import FoundationEssentials
internal import Posix
internal import Wire

/// `apphome backup list DIR|--cloud`
struct BackupListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "The backups in a folder, or in the cloud: their apps, dates and sizes.",
        examples: [
            "apphome backup list ~/backups",
            "apphome backup list ~/backups/00008110-0123456789ABCDEF --json",
            "apphome backup list ~/backups --files --csv --sha256 > files.csv",
            "apphome backup list --cloud",
        ])

    @Argument(help: ArgumentHelp("A backup's folder, or the folder that holds some.", valueName: "dir"))
    var directory: String?
    @Flag(help: "The snapshots in the account's store, of all its devices.") var cloud = false
    @Flag(help: "Every file, directory and link of one backup; exit 3 where a row is not as it should be.")
    var files = false
    @Flag(help: "With --files: comma-separated values.") var csv = false
    @Flag(help: "With --files: a body file, for timelines.") var timeline = false
    @Flag(help: "With --files: the SHA-256 of every file, which reads them all.") var sha256 = false
    @OptionGroup var password: PasswordOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard cloud == (directory == nil) else { throw ValidationError("give a folder, or --cloud") }
        if cloud, password.isGiven { throw ValidationError("a password goes with a folder") }
        guard files || !(csv || timeline || sha256) else {
            throw ValidationError("--csv, --timeline and --sha256 go with --files")
        }
        if cloud, files { throw ValidationError("--files goes with a folder") }
        let forms = [csv, timeline, output.json].count { $0 }
        if forms > 1 { throw ValidationError("give one of --csv, --timeline, --json") }
    }

    func run() throws {
        guard let directory else { return try listSnapshots() }
        Process.keepMemoryPrivate()
        if files { return try listFiles(in: directory) }
        let password = try password.given()
        var refused = RefusedNotes()
        let found = try OpenedBackup.all(in: directory)
        let reports = try found.map { backup in
            do {
                // Of several each would want its own.
                return try BackupListing(backup, password: password, asks: found.count == 1) {
                    refused.note("\(backup.path): \($0.text)")
                }
            } catch let error as BackupError where found.count > 1 {
                if error.kind != .passwordNeeded { refused.note("\(backup.path): \(error.message)") }
                return BackupListing(closed: backup, error)
            }
        }
        if output.json {
            try printJSON(reports)
        } else {
            for report in reports { report.show() }
        }
        try refused.end()
    }

    private func listFiles(in directory: String) throws {
        let reader = try OpenedBackup.one(in: directory).reader(password: try password.given())
        let form: BackupFilesListing.Form =
            csv ? .csv : timeline ? .timeline : output.json ? .json : .table
        try BackupFilesListing(form: form, hashes: sha256).print(reader).end()
    }

    private func listSnapshots() throws {
        let found = try device.ask(.snapshots)
        if output.json { return try printJSON(found) }
        for snapshot in found { snapshot.show() }
    }
}

/// What `backup list --json` prints of a backup.
struct BackupListing: Codable, Equatable {
    var path: String
    var identifier: String?
    var deviceName: String?
    var productVersion: String?
    /// When it was begun: ISO 8601, UTC; nil where its property list cannot be read.
    var date: String?
    var isEncrypted: Bool
    /// False for one that its device broke off.
    var isFinished: Bool
    var files = 0
    var bytes: Int64 = 0
    var apps: [Part] = []
    var groups: [Part] = []
    /// Why its apps are not listed: files and bytes are those that are stored then.
    var problem: String?

    /// An app, or a group of apps.
    struct Part: Codable, Equatable {
        var identifier: String
        var version: String?
        var files: Int
        var bytes: Int64
    }

    /// - Parameters:
    ///   - asks: for a password, where it wants one.
    ///   - refused: told of each row that is not as it should be, and does not count.
    init(
        _ backup: OpenedBackup, password: String?, asks: Bool, refused: (RefusedRow) throws -> Void
    ) throws {
        let reader = try backup.reader(password: password, asks: asks)
        let summary = reader.summary
        self.init(summary, at: backup.path)
        let versions = Dictionary(summary.apps.map { ($0.bundleID, $0.version) }) { $1 }
        for domain in try reader.domains(refused: refused) {
            let size = try reader.size(of: domain, refused: refused)
            files += size.files
            bytes = bytes.addingReportingOverflow(size.bytes).partialValue
            guard let (identifier, isGroup) = BackupReader.owner(of: domain) else { continue }
            let part = Part(
                identifier: identifier, version: isGroup ? nil : versions[identifier] ?? nil,
                files: size.files, bytes: size.bytes)
            if isGroup { groups.append(part) } else { apps.append(part) }
        }
    }

    private init(_ summary: BackupReader.Summary?, at path: String) {
        self.path = path
        (identifier, deviceName) = (summary?.identifier, summary?.deviceName)
        productVersion = summary?.productVersion
        date = summary.map { timeText($0.date.timeIntervalSince1970) }
        (isEncrypted, isFinished) = (summary?.isEncrypted ?? false, summary?.isFinished ?? false)
    }

    /// One that cannot be looked into: what it says all the same.
    fileprivate init(closed backup: OpenedBackup, _ error: BackupError) {
        let source = backup.source
        self.init(try? BackupReader.Summary(of: source), at: backup.path)
        if let stored = try? source.stored() { (files, bytes) = (stored.files, stored.bytes) }
        problem = error.message
    }

    fileprivate func show() {
        var words = [path, deviceName ?? "-", date ?? "-", isEncrypted ? "encrypted" : "not encrypted"]
        if !isFinished { words.append("not finished") }
        if let problem { words += ["\(counted(files, "blob")), \(byteCount(bytes))", problem] }
        print(printable(words.joined(separator: "  ")))
        printTable(
            apps.map { partRow($0.identifier, $0.version ?? "-", $0.files, $0.bytes) }
                + groups.map { partRow($0.identifier, "group", $0.files, $0.bytes) })
    }
}

extension CloudSnapshot {
    fileprivate func show() {
        let name = isThisDevice ? "this device" : "\(deviceName ?? "-") (\(device.prefix(8)))"
        print(
            printable(
                [time, name, damage.map { "cannot be read: \($0)" }].compactMap { $0 }
                    .joined(separator: "  ")))
        printTable(
            apps.map { partRow($0.identifier, $0.version ?? "-", Int(clamping: $0.files), $0.bytes) }
                + groups.map { partRow($0.identifier, "group", Int(clamping: $0.files), $0.bytes) })
    }
}

/// A line for an app, or a group of apps.
private func partRow(_ identifier: String, _ version: String, _ files: Int, _ bytes: Int64) -> [String] {
    ["", identifier, version, counted(files, "file"), byteCount(bytes)].map(printable)
}

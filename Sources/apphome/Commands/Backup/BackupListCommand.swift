internal import ArgumentParser
internal import Backup
internal import FoundationEssentials
internal import Wire

/// `apphome backup list DIR|--cloud`
struct BackupListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "The backups in a folder, or in the cloud: their apps, dates and sizes.",
        examples: [
            "apphome backup list ~/backups",
            "apphome backup list ~/backups/00008110-0123456789ABCDEF --json",
            "apphome backup list --cloud",
        ])

    @Argument(help: ArgumentHelp("A backup's folder, or the folder that holds some.", valueName: "dir"))
    var directory: String?
    @Flag(help: "The snapshots in the account's store, of all its devices.") var cloud = false
    @OptionGroup var password: PasswordOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard cloud == (directory == nil) else { throw ValidationError("give a folder, or --cloud") }
        if cloud, password.isGiven { throw ValidationError("a password goes with a folder") }
    }

    func run() throws {
        guard let directory else { return try listSnapshots() }
        let password = try password.given()
        let found = try OpenedBackup.all(in: directory)
        let reports = try found.map { try BackupListing($0, password: password) }
        if output.json { return try printJSON(reports) }
        for report in reports { report.show() }
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
    /// When it was begun: ISO 8601, UTC.
    var date: String
    var isEncrypted: Bool
    /// False for one that its device broke off.
    var isFinished: Bool
    var files = 0
    var bytes: Int64 = 0
    var apps: [Part] = []
    var groups: [Part] = []

    /// An app, or a group of apps.
    struct Part: Codable, Equatable {
        var identifier: String
        var version: String?
        var files: Int
        var bytes: Int64
    }

    init(_ backup: OpenedBackup, password: String?) throws {
        let reader = try backup.reader(password: password)
        let summary = reader.summary
        path = backup.path
        (identifier, deviceName) = (summary.identifier, summary.deviceName)
        productVersion = summary.productVersion
        date = timeText(summary.date.timeIntervalSince1970)
        (isEncrypted, isFinished) = (summary.isEncrypted, summary.isFinished)
        let versions = Dictionary(summary.apps.map { ($0.bundleID, $0.version) }) { $1 }
        for domain in try reader.domains() {
            let size = try reader.size(of: domain)
            files += size.files
            bytes = bytes.addingReportingOverflow(size.bytes).partialValue
            guard let (identifier, isGroup) = BackupReader.owner(of: domain) else { continue }
            let part = Part(
                identifier: identifier, version: isGroup ? nil : versions[identifier] ?? nil,
                files: size.files, bytes: size.bytes)
            if isGroup { groups.append(part) } else { apps.append(part) }
        }
    }

    fileprivate func show() {
        var words = [path, deviceName ?? "-", date, isEncrypted ? "encrypted" : "not encrypted"]
        if !isFinished { words.append("not finished") }
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

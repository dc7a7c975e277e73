internal import ArgumentParser
internal import Backup
internal import FoundationEssentials
internal import Posix
internal import Wire

/// `apphome backup info BACKUP`
struct BackupInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "What a backup says of its device: name, serial number, dates, passcode, apps.",
        discussion: "No password is needed for it.",
        examples: ["apphome backup info ~/backups/00008110-0123456789ABCDEF"])

    @OptionGroup var backup: BackupArgument
    @OptionGroup var output: OutputOptions

    func run() throws {
        let opened = try backup.open()
        var refused = RefusedNotes()
        let report = BackupInfoReport(try BackupFacts(of: opened.source) { refused.note($0.text) })
        if output.json { try printJSON(report) } else { report.show() }
        try refused.end()
    }
}

/// What `backup info --json` prints. Keys are absent where the backup does not say.
struct BackupInfoReport: Codable, Equatable {
    struct App: Codable, Equatable {
        var identifier: String
        var version: String?
        var name: String?
    }

    var deviceName: String?
    var identifier: String?
    var serialNumber: String?
    var productType: String?
    var productVersion: String?
    var buildVersion: String?
    var phoneNumber: String?
    var imei: String?
    var madeBy: String?
    var begun: Timestamp?
    var finished: Timestamp?
    var isEncrypted: Bool
    var wasPasscodeSet: Bool?
    var isFull: Bool?
    var isFinished: Bool
    var apps: [App]

    init(_ facts: BackupFacts) {
        (deviceName, identifier, serialNumber) = (facts.deviceName, facts.identifier, facts.serialNumber)
        (productType, productVersion) = (facts.productType, facts.productVersion)
        (buildVersion, phoneNumber, imei) = (facts.buildVersion, facts.phoneNumber, facts.imei)
        madeBy = facts.madeBy
        begun = facts.begunAt.map { Timestamp(seconds: $0.timeIntervalSince1970) }
        finished = facts.finishedAt.map { Timestamp(seconds: $0.timeIntervalSince1970) }
        (isEncrypted, wasPasscodeSet) = (facts.isEncrypted, facts.wasPasscodeSet)
        (isFull, isFinished) = (facts.isFull, facts.isFinished)
        apps = facts.apps.map { App(identifier: $0.bundleID, version: $0.version, name: $0.name) }
    }

    fileprivate func show() {
        let lines: [(String, String?)] = [
            ("device", deviceName), ("identifier", identifier), ("serial number", serialNumber),
            ("model", productType), ("iOS", productVersion.map { "\($0) (\(buildVersion ?? "?"))" }),
            ("phone number", phoneNumber), ("IMEI", imei), ("made by", madeBy), ("begun", begun?.text),
            ("finished", isFinished ? finished?.text : "no: its device broke this backup off"),
            ("encrypted", isEncrypted ? "yes" : "no"),
            ("passcode", wasPasscodeSet.map { $0 ? "set" : "not set" }),
            ("kind", isFull.map { $0 ? "full" : "incremental" }), ("apps", String(apps.count)),
        ]
        printTable(lines.compactMap { name, value in value.map { [name, $0] } })
        printTable(apps.map { ["", $0.identifier, $0.version ?? "-", $0.name ?? ""] })
    }
}

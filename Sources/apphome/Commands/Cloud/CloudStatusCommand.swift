internal import ArgumentParser
internal import Glibc
internal import Wire

/// `apphome cloud status`
struct CloudStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows sync progress and problems.",
        discussion:
            "Of one app also what each item waits for that is not in the store, and what never goes there.",
        examples: [
            "apphome cloud status", "apphome cloud status Notes --json", "apphome cloud status --check",
            "apphome cloud status --live",
        ])

    @Argument(help: "The app's name or identifier; all where none is given.", completion: .apps)
    var app: String?
    @Flag(help: "Exit 4 unless all that changed here is in the store.") var check = false
    @Flag(help: "Show it again whenever it changes, until interrupted; with --json a line each time.")
    var live = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if live, check { throw ValidationError("--live goes on, and --check ends: give one of them") }
    }

    func run() throws {
        if live { return try show() }
        let report = try device.ask(.cloudStatus(of: app))
        if output.json { try printJSON(report) } else { for line in report.lines { print(printable(line)) } }
        if check, !report.isAllStored { throw ExitCode(4) }
    }

    /// Over one connection: a daemon that serves nothing else stays for it.
    private func show() throws {
        let client = try device.connect()
        var shown: CloudStatusReport?
        while true {
            let report = try client.ask(.cloudStatus(of: app))
            // That the store was heard again is no news by itself.
            var known = report
            known.lastContact = nil
            if known != shown { try show(report) }
            shown = known
            sleep(1)
        }
    }

    private func show(_ report: CloudStatusReport) throws {
        if output.json { return try printJSON(report, onOneLine: true) }
        let text = report.lines.map(printable).joined(separator: "\n") + "\n"
        // On a terminal in the place of what was there.
        print(isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[J" + text : text, terminator: "")
        fflush(nil)
    }
}

extension CloudStatusReport {
    /// Whether nothing of the apps that sync is on this device alone, as far as anybody knows.
    fileprivate var isAllStored: Bool {
        state != "signed-out"
            && apps.allSatisfy {
                !$0.isOn
                    || $0.pendingFiles == 0 && $0.pendingKeys == 0 && $0.heldDeletes == 0 && !$0.isRescanDue
            }
    }

    /// For a person: the account, what is wrong, and a line or two for each app.
    var lines: [String] {
        let contact = lastContact.map { ", last contact \($0.text)" } ?? ""
        let used = usedBytes.map { ", \(byteCount($0)) of \(byteCount(quotaBytes)) used" } ?? ""
        return ["\(account): \(state)\(contact)\(used)"] + [text].compactMap { $0 } + apps.flatMap(\.lines)
            + upkeepLines
    }

    private var upkeepLines: [String] {
        let freed = collection.map { run in
            "store last collected \(run.ended.text): \(counted(run.deleted, "object")) deleted, "
                + "\(byteCount(run.freedBytes)) freed"
        }
        let trouble = collectionTrouble.map { "the store could not be collected: \($0)" }
        return [freed, trouble].compactMap { $0 }
    }
}

extension CloudAppStatus {
    fileprivate var lines: [String] {
        guard isOn else { return ["\(app): off (apphome cloud on \(shellQuoted(app)))"] }
        let left = pendingFiles == 0 ? nil : CloudSyncReport.text(pendingFiles, pendingBytes) + " to upload"
        let keys = pendingKeys == 0 ? nil : counted(pendingKeys, "key") + " to upload"
        let rate = uploadRate == 0 ? nil : "\(byteCount(uploadRate))/s up"
        let coming = pendingDownloads == 0 ? nil : counted(pendingDownloads, "item") + " to download"
        let downRate = downloadRate == 0 ? nil : "\(byteCount(downloadRate))/s down"
        let counts = [
            "\(counted(documents, "item")) (\(byteCount(documentBytes)))", left, keys,
            isRescanDue ? "documents to be looked through" : nil, rate, coming, downRate,
            conflicts == 0 ? nil : counted(conflicts, "conflict"),
            dataless == 0 ? nil : "\(dataless) not downloaded",
        ]
        let held =
            heldDeletes == 0
            ? nil
            : "  gone here without having been seen to go: \(counted(heldDeletes, "item"));"
                + " to delete them everywhere: apphome cloud sync \(shellQuoted(app)) --confirm-deletes"
        let notMounted =
            isWatched || left == nil && keys == nil || state != "waiting"
            ? nil
            : "  not mounted; they go up with the next mount, or now: apphome cloud sync \(shellQuoted(app))"
        let choice =
            conflicts == 0
            ? nil
            : "  documents have several versions; to choose: apphome cloud conflicts \(shellQuoted(app))"
        return ["\(app): \(state), " + counts.compactMap { $0 }.joined(separator: ", ")]
            + [text.map { "  " + $0 }, held, notMounted, choice].compactMap { $0 }
            + waiting.map { "  waits: \($0.path): \($0.text)" }
            + excluded.map { "  does not sync: \($0.path): \($0.text)" }
    }
}

/// `apphome cloud quota`
struct CloudQuotaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quota", abstract: "How much of the account's quota is used, and by which app.",
        discussion: "The quota is a setting: apphome device set quota 10G",
        examples: ["apphome cloud quota"])

    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let quota = try device.ask(.quota)
        if output.json { return try printJSON(quota) }
        var rows = quota.apps.map { [printable($0.app), byteCount($0.bytes)] }
        if quota.backupBytes > 0 { rows.append(["backups", byteCount(quota.backupBytes)]) }
        printTable(rows)
        print("\(byteCount(quota.usedBytes)) of \(byteCount(quota.quotaBytes)) used")
    }
}

internal import ArgumentParser
internal import Posix
internal import Wire

/// `apphome uninstall APP`
struct UninstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uninstall",
        abstract: "Takes an app and its data off the device. Its documents in the cloud stay.",
        examples: [
            "apphome uninstall Notes", "apphome uninstall Notes --dry-run",
            "apphome uninstall Notes --yes --delete-cloud",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Delete its documents in the cloud too, and so on every device.") var deleteCloud = false
    @Flag(help: "Remove nothing: show what would go.") var dryRun = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var arguments = UninstallArguments(app: app, deletesCloud: deleteCloud, isDryRun: dryRun)
        let plan = try device.ask(.uninstall(arguments))
        if dryRun { return try show(plan) }
        if yes {
            for line in plan.losses { printError("apphome: warning: \(printable(line))") }
        } else {
            try confirm(plan)
        }
        arguments.isConfirmed = true
        // A new connection: the daemon cuts off who says nothing for long, and a person may take any time.
        let report = try device.ask(.uninstall(arguments))
        if output.json { return try printJSON(report) }
        print(printable("uninstalled \(report.name) (\(report.bundleID))"))
        for line in report.outcome(deletesCloud: deleteCloud) + report.notes { print(printable(line)) }
    }

    private func show(_ plan: UninstallReport) throws {
        if output.json { return try printJSON(plan) }
        printTable(plan.parts.map { [$0.name, byteCount($0.bytes)] })
        let bytes = plan.parts.reduce(Int64(0)) { $0.addingSaturated($1.bytes) }
        print(printable("\(plan.name) (\(plan.bundleID)) would be uninstalled, \(byteCount(bytes)) freed"))
        for line in plan.losses + plan.promise(deletesCloud: deleteCloud) { print(printable(line)) }
    }

    private func confirm(_ plan: UninstallReport) throws {
        let name = plan.name
        try Confirmation(
            command: "uninstall", consequence: (["remove \(name)"] + plan.losses).joined(separator: "; "),
            details: plan.losses + plan.promise(deletesCloud: deleteCloud),
            question: "Remove \(name) and its data from this device?", refusal: "\(name) stays"
        ).ask()
    }
}

extension UninstallReport {
    /// What would be lost, and what helps.
    fileprivate var losses: [String] {
        guard unsent > 0 else { return [] }
        let more = unsent > unsentNames.count ? ", …" : ""
        let names = unsentNames.isEmpty ? "" : " (\(unsentNames.joined(separator: ", "))\(more))"
        let what = unsent == 1 ? "1 document\(names) is" : "\(unsent) documents\(names) are"
        let remedy =
            store == nil
            ? "to keep them, sign in first (apphome cloud account set), or copy them away"
            : "to upload them first: apphome cloud sync \(shellQuoted(name)) --wait"
        return ["\(what) on this device alone and will be lost; \(remedy)"]
    }

    fileprivate func promise(deletesCloud: Bool) -> [String] {
        guard let store, cloudDocuments > 0 else { return [] }
        let items = counted(cloudDocuments, "item")
        return [
            deletesCloud
                ? "\(items) in \(store) will be deleted, and so on every device"
                : "\(items) will stay in \(store) and return when \(name) is installed again"
        ]
    }

    fileprivate func outcome(deletesCloud: Bool) -> [String] {
        guard let store else { return [] }
        if !deletesCloud {
            return cloudDocuments == 0
                ? [] : ["its documents stay in \(store) and return when it is installed again"]
        }
        return cloudDocuments == 0
            ? ["its documents are deleted in \(store)"]
            : ["newer on other devices, so they stay in \(store): \(counted(cloudDocuments, "item"))"]
    }
}

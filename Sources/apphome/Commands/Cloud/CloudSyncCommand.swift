internal import ArgumentParser
internal import Wire

/// `apphome cloud sync`
struct CloudSyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Syncs now, mounted or not.",
        examples: ["apphome cloud sync", "apphome cloud sync Notes --wait"])

    @Argument(help: "The app's name or identifier; all where none is given.", completion: .apps)
    var app: String?
    @Flag(help: "Return only when nothing is left to do; exit 4 where something keeps it.") var wait = false
    @Flag(help: "Confirm held deletions: delete in the cloud what disappeared here unobserved.")
    var confirmDeletes = false
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        var arguments = CloudSyncArguments(app: app)
        arguments.confirmsDeletes = confirmDeletes
        arguments.waits = wait
        let report = try device.connect().showing(shown).ask(.sync(arguments))
        guard let rest = report.rest else { return }
        if wait { throw CommandFailure(rest, exitStatus: 4) }
        print(printable(rest))
    }
}

extension CloudSyncReport {
    /// What is left and why; nil where nothing is.
    var rest: String? {
        let parts = [
            changes == 0 ? nil : "\(Self.text(changes, bytes)) not uploaded",
            isRescanDue ? "documents not looked through yet" : nil,
            downloads == 0 ? nil : counted(downloads, "item") + " not downloaded",
        ].compactMap(\.self)
        guard !parts.isEmpty else { return trouble.map { "not synced: \($0)" } }
        return parts.joined(separator: ", ")
            + (trouble.map { ": \($0)" } ?? "; apphome cloud status says how far it is")
    }

    /// So many, and their size as far as it is known.
    static func text(_ count: Int, _ bytes: Int64) -> String {
        counted(count, "change") + (bytes == 0 ? "" : " (\(byteCount(bytes)))")
    }
}

struct CloudPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stops all transfers of this device until they are resumed.",
        discussion: "A sync that is asked for still goes, once: apphome cloud sync",
        examples: ["apphome cloud pause", "apphome cloud pause --up 500K"])

    @OptionGroup var rates: RateOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        try device.ask(.pauseSync(upRate: rates.up?.bytes, downRate: rates.down?.bytes))
    }
}

struct CloudResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Resumes transfers, optionally with rate limits.",
        examples: [
            "apphome cloud resume",
            "apphome cloud resume --up 500K --down 2M",
            "apphome cloud resume --up none",
        ])

    @OptionGroup var rates: RateOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        try device.ask(.resumeSync(upRate: rates.up?.bytes, downRate: rates.down?.bytes))
    }
}

/// How fast transfers may go from now on; kept with the device.
struct RateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Bytes a second up: 500K, 2M, 1G; none or 0 for no limit.", valueName: "rate"))
    var up: ByteRate?
    @Option(help: ArgumentHelp("Bytes a second down.", valueName: "rate")) var down: ByteRate?
}

internal import ArgumentParser
internal import CloudStore
internal import Wire

/// `apphome cloud account …`
struct CloudAccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "The store that this device is signed in to.",
        examples: ["apphome cloud account show", "apphome cloud account set file:///srv/cloud"],
        subcommands: [Show.self, Set.self, Probe.self, Copy.self, None.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints the account, and what lies in its store.",
            examples: ["apphome cloud account show --json"])
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let report = try device.ask(.account)
            if output.json { return try printJSON(report) }
            let rows = [
                ["account", report.url], report.accessKey.map { ["key", $0 + "…"] },
                report.profile.map { ["profile", $0] }, report.device.map { ["device", $0] },
            ]
            printTable(rows.compactMap { $0 }.map { $0.map(printable) })
            for note in report.notes { print(printable(note)) }
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Signs in to a store, after a probe of it; its devices share their Documents.",
            discussion: """
                Keys of an S3 store are taken from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from the \
                credentials file, and kept with the device. Where the device has documents of another \
                account, say what becomes of them; a copy of the account is the same one, and asks nothing.
                """,
            examples: [
                "apphome cloud account set file:///srv/cloud",
                "apphome cloud account set 's3://bucket/home?endpoint=http://127.0.0.1:8333'",
                "apphome cloud account set file:///srv/other --documents remove",
            ])
        @Argument(help: ArgumentHelp("file:///…, s3://… or none.", valueName: "url")) var url: String
        @Option(help: ArgumentHelp("Read the keys from this profile at each start.", valueName: "name"))
        var profile: String?
        @OptionGroup var change: AccountChangeOptions

        func run() throws { try change.perform(try CloudAccountArguments(url, profile: profile)) }
    }

    struct Probe: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "probe",
            abstract: "Finds out whether several devices may share the store.",
            examples: ["apphome cloud account probe"])
        @OptionGroup var device: DeviceOptions

        func run() throws { try device.tell(.probeAccount) }
    }

    struct Copy: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy",
            abstract: "Copies the whole account to an empty store; devices stay where they are.",
            examples: ["apphome cloud account copy file:///mnt/backup/cloud"])
        @Argument(help: ArgumentHelp("file:///… or s3://…", valueName: "url")) var url: String
        @Option(help: ArgumentHelp("Take the keys from this profile.", valueName: "name"))
        var profile: String?
        @OptionGroup var shown: ProgressOptions
        @OptionGroup var device: DeviceOptions

        func run() throws {
            let call = Call.copyAccount(to: try CloudAccountArguments(url, profile: profile))
            for line in try device.connect().showing(shown).ask(call) { print(printable(line)) }
        }
    }

    struct None: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "none",
            abstract: "Signs out: nothing syncs; what is in the store stays there.",
            discussion: "Documents stay on this device too, unless they are to be removed.",
            examples: ["apphome cloud account none", "apphome cloud account none --documents remove"])
        @OptionGroup var change: AccountChangeOptions

        func run() throws { try change.perform(CloudAccountArguments(url: "none")) }
    }
}

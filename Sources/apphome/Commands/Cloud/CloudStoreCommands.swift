internal import ArgumentParser
internal import Wire

/// `apphome cloud devices`
struct CloudDevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The devices of the account.",
        discussion: "Each has its machine's name, with a number behind it where another device has that.",
        examples: ["apphome cloud devices", "apphome cloud devices forget 4f2a90"],
        subcommands: [List.self, Forget.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the devices.",
            examples: ["apphome cloud devices list --json"])
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let devices = try device.ask(.devices)
            if output.json { return try printJSON(devices) }
            printTable(
                devices.map {
                    [
                        $0.id, $0.name, $0.lastSeen?.text ?? "never",
                        $0.isThis ? "this device" : "",
                    ].map(printable)
                })
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget",
            abstract: "Forgets a device that is gone for good; what it uploaded stays.",
            examples: ["apphome cloud devices forget 4f2a90", "apphome cloud devices forget laptop-2"])
        @Argument(help: "Its name, its id, or the id's first letters.") var id: String
        @OptionGroup var device: DeviceOptions

        func run() throws { try device.ask(.forget(device: id)) }
    }
}

/// `apphome cloud check`
struct CloudCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Checks that the store holds every content that documents need.",
        discussion: "Exits 3 where something is missing or damaged.",
        examples: ["apphome cloud check", "apphome cloud check --repair"])

    @Flag(help: "Upload again, from this device, what is missing and here.") var repair = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let report = try device.ask(.checkStore(repairs: repair))
        if output.json {
            try printJSON(report)
        } else {
            print("\(counted(report.references, "chunk")) needed, \(report.sampled) read and compared")
            for path in report.missing { print(printable("missing: \(path)")) }
            for path in report.damaged { print(printable("damaged: \(path)")) }
            if report.repaired > 0 { print("\(counted(report.repaired, "chunk")) uploaded again") }
        }
        if !report.missing.isEmpty || !report.damaged.isEmpty { throw ExitCode(3) }
    }
}

/// `apphome cloud gc`
struct CloudCollectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gc", abstract: "Removes unused objects from the store.",
        discussion:
            """
            It keeps what is younger than seven days, and what devices that were away may still need. What was
            deleted stays for thirty days. With --now, what this device has uploaded of files that changed or
            were deleted before all of it was uploaded goes at once; a file that still waits begins anew.
            """,
        examples: ["apphome cloud gc", "apphome cloud gc --now", "apphome cloud gc --dry-run"])

    @Flag(help: "Also removes at once what this device has uploaded in vain.") var now = false
    @Flag(help: "Remove nothing: name what would go.") var dryRun = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if now, dryRun { throw ValidationError("--now removes, --dry-run does not: give one of them") }
    }

    func run() throws {
        let taken = now ? try device.ask(.takeBackUploads) : nil
        let collected = try device.ask(.collect(isDryRun: dryRun))
        let result = taken.map(collected.adding) ?? collected
        if output.json { return try printJSON(result) }
        if dryRun { return result.showPlan() }
        print("\(result.deleted) of \(result.objects) objects removed, \(byteCount(result.freedBytes)) freed")
    }
}

extension CloudCollection {
    fileprivate func showPlan() {
        printTable(names.map { [$0.name, byteCount($0.bytes)] })
        if deleted > names.count { print("… and \(deleted - names.count) more") }
        print("\(deleted) of \(objects) objects would be removed, \(byteCount(freedBytes)) freed")
    }
}

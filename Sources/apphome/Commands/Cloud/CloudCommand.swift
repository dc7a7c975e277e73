internal import ArgumentParser
internal import Wire

/// `apphome cloud …`
struct CloudCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloud", abstract: "Documents in the cloud: the account, sync, and its progress.",
        discussion: """
            These stay on the device: flagged items, .Trash, *.nosync, *.tmp, .DS_Store, Documents/Inbox, \
            sockets, pipes and devices; and files that programs keep beside documents: .NAME.swp (to .swg), \
            .NAME.kate-swp, #NAME#, .#NAME, .~lock.NAME#, ~$NAME, .goutputstream-*, *.crdownload, \
            index.lock, HEAD.lock, packed-refs.lock, tmp_obj_??????, tmp_pack_??????. A file that is renamed \
            from such a name to another syncs. What is in the cloud under such a name already stays there, \
            but what is written to it here stays here. Of extended attributes those of Apple (com.apple.*) \
            sync. Others (user.*) stay, and go when another device's version takes the file's place.
            """,
        examples: [
            "apphome cloud status",
            "apphome cloud sync Notes --wait",
            "apphome cloud account set s3://bucket/prefix?endpoint=http://127.0.0.1:8333",
        ],
        subcommands: [
            CloudAccountCommand.self, CloudStatusCommand.self, CloudSyncCommand.self, CloudPauseCommand.self,
            CloudResumeCommand.self, CloudOnCommand.self, CloudOffCommand.self, CloudPathCommand.self,
            CloudListCommand.self, CloudRemoveCommand.self, CloudCatCommand.self, CloudConflictsCommand.self,
            CloudResolveCommand.self, CloudLogCommand.self, CloudRestoreCommand.self,
            CloudDevicesCommand.self,
            CloudQuotaCommand.self, CloudCheckCommand.self, CloudCollectCommand.self,
        ])
}

struct CloudOnCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Lets an app's Documents sync again.",
        examples: ["apphome cloud on Notes"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @OptionGroup var device: DeviceOptions

    func run() throws { try device.ask(.turnSync(of: app, isOn: true)) }
}

struct CloudOffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Keeps an app's Documents on this device; copies in the cloud stay.",
        examples: ["apphome cloud off Notes"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @OptionGroup var device: DeviceOptions

    func run() throws { try device.ask(.turnSync(of: app, isOn: false)) }
}

struct CloudPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "The app's ubiquity container, as the app would get it.",
        discussion: """
            Exits 1 with the reason where the app would get null. With --json also the token of the account, \
            as ubiquityIdentityToken: another one for another account.
            """,
        examples: ["apphome cloud path Notes"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let found = try device.ask(.ubiquityPath(of: app))
        if output.json {
            try printJSON(found)
        } else {
            print(printable(found.path ?? "null: \(found.reason ?? "")"))
        }
        if found.path == nil { throw ExitCode.failure }
    }
}

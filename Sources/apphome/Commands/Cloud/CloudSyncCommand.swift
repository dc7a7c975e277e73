internal import ArgumentParser

/// `apphome cloud sync`
struct CloudSyncCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Syncs now, mounted or not.",
        discussion: """
            EXAMPLE:
              apphome cloud sync
              apphome cloud sync Notes --wait
            """)

    @Argument(help: "The app's name or identifier; all where none is given.") var app: String?
    @Flag(help: "Return only when nothing is left to do; exit 4 where something keeps it.") var wait = false
    @Flag(help: "Delete in the cloud what is gone here without having been seen to go.")
    var confirmDeletes = false
    @OptionGroup var cloud: CloudOptions

    func run() throws {
        var arguments = CloudSyncArguments(app: app)
        arguments.confirmsDeletes = confirmDeletes
        guard case .cloud(.left(let files, let bytes)) = try cloud.ask(.sync(arguments)) else {
            throw CommandFailure.unexpectedReply
        }
        guard files > 0 else { return }
        print("\(files) files (\(byteCount(bytes))) not uploaded; apphome cloud status says why")
        if wait { throw ExitCode(4) }
    }
}

struct CloudPauseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stops all transfers of this device until they are resumed.",
        discussion: """
            EXAMPLE:
              apphome cloud pause
            """)

    @OptionGroup var cloud: CloudOptions

    func run() throws { try cloud.tell(.pause) }
}

struct CloudResumeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Goes on with transfers, at most so fast.",
        discussion: """
            EXAMPLE:
              apphome cloud resume
              apphome cloud resume --up 500K --down 2M
            """)

    @Option(help: "Bytes a second up: 500K, 2M; 0 for no limit.") var up: ByteRate?
    @Option(help: "Bytes a second down.") var down: ByteRate?
    @OptionGroup var cloud: CloudOptions

    func run() throws { try cloud.tell(.resume(upRate: up?.bytes, downRate: down?.bytes)) }
}

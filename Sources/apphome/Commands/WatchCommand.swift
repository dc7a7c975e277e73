internal import ArgumentParser
internal import FoundationEssentials
internal import Wire

/// `apphome watch APP`
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Prints what happens to an app, as it happens.",
        discussion: """
            Refusals, names that only case tells apart, flags that were lost, each with the program that did
            it, and what came from outside: by sync (sync-applied), share put, share rm and cp, of which the
            kernel tells no watcher (inotify). Ends with the daemon.
            """,
        examples: ["apphome watch Notes", "apphome watch Notes --since 10m --json"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Option(help: "Begin with what the daemon still knows: 30s, 10m, 2h ago, or a time in ISO 8601.")
    var since: String?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let start = try since.map(Self.time(of:))
        let json = output.json
        let client = try device.connect()
        try client.follow(.watch(app, sinceSeconds: start)) { event in
            if json {
                try? printJSON(event, onOneLine: true)
            } else {
                print(printable(event.line))
                flushOutput()
            }
        }
    }

    /// Seconds since 1970.
    static func time(of text: String) throws -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        if let unit = text.last.flatMap({ units[$0] }), let count = Double(text.dropLast()), count >= 0 {
            return Date().timeIntervalSince1970 - count * unit
        }
        if let date = try? Date(text, strategy: .iso8601) { return date.timeIntervalSince1970 }
        throw CommandFailure(
            "\"\(text)\" is no time: write 30s, 10m, 2h or 2026-01-31T12:00:00Z", exitStatus: 64)
    }
}

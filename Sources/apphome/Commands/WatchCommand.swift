internal import ArgumentParser
internal import FoundationEssentials
internal import Wire

/// `apphome watch APP`
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Prints what happens to an app, as it happens.",
        discussion: """
            Refusals, names that only case tells apart, flags that were lost, what a purge took and a program
            looked for, each with the program that did it, and what came from outside: by sync (sync-applied),
            share put, share rm and cp, of which the kernel tells no watcher (inotify). Ends with the daemon.
            """,
        examples: ["apphome watch Notes", "apphome watch Notes --since 10m --json"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Option(help: "Begin with what the daemon still knows: 30s, 10m, 2h ago, or a time in ISO 8601.")
    var since: String?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let start = try since.map(Self.time(of:))
        let client = try device.connect()
        try client.follow(.watch(app, sinceSeconds: start), show)
    }

    private func show(_ report: WatchReport) {
        switch report {
        case .began(let knownSince):
            guard let knownSince else { return }
            printError("apphome: what happened before \(knownSince.text) is not known any more")
        case .event(let event):
            if output.json { return show(event) }
            show(printable(event.line))
        case .dropped(let count):
            if output.json { return show(DroppedEvents(count: count)) }
            let events = counted(Int(clamping: count), "event")
            show("\(events) left out here, for they came faster than they were read")
        }
    }

    private func show(_ line: String) {
        print(line)
        flushOutput()
    }

    private func show(_ value: some Encodable) { try? printJSON(value, onOneLine: true) }

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

/// What `--json` prints where events are missing.
private struct DroppedEvents: Encodable {
    var event = "dropped"
    let count: UInt64
}

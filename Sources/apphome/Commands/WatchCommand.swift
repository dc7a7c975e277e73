internal import ArgumentParser
internal import FoundationEssentials
internal import Posix
internal import Wire

/// `apphome watch APP`
struct WatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Prints what happens to an app, as it happens.",
        discussion: """
            Refusals, names that only case tells apart, flags that were lost, what a purge took and a program
            looked for, each with the program that did it, and what came from outside: by sync (sync-applied),
            share put, share rm and cp, of which the kernel tells no watcher (inotify). Ends with the daemon.

            What of it breaks on a device is remembered for apphome doctor, until its --clear. --scan also \
            searches each file that is written to the home and its groups, once it is closed, for stored \
            paths of containers (container-path): doctor finds those that stay. What is kept open, a \
            database say, is missed.

            --path is the app's metadata query (NSMetadataQuery) in its mounted home: a line of JSON for each
            item that matches (found), one when all were (gathered, with how many), then what comes, changes
            and goes (added, changed, removed). The pattern is of names, or of paths from the home where it
            has a slash; * stands for slashes too. --predicate compares name, path, kind, size, modified and
            state (==, !=, <, <=, >, >=, like; and, or, not).
            """,
        examples: [
            "apphome watch Notes", "apphome watch Notes --since 10m --json", "apphome watch Notes --scan",
            "apphome watch Notes --path '*.txt' --predicate 'size > 1M and state == uploading'",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Option(help: "Begin with what the daemon still knows: 30s, 10m, 2h ago, or a time in ISO 8601.")
    var since: String?
    @Flag(help: "Search what is written for stored paths of containers.") var scan = false
    @Option(help: ArgumentHelp("Find items, and follow them.", valueName: "glob")) var path: String?
    @Option(help: "With --path: only items of which this holds.") var predicate: String?
    @Option(help: "With --path: documents, or all of the home.") var scope: MetadataQuery.Scope?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if path == nil, predicate != nil || scope != nil {
            throw ValidationError("--predicate and --scope belong to --path")
        }
        if path != nil, since != nil || scan {
            throw ValidationError("--path finds what is there, and takes neither --since nor --scan")
        }
    }

    func run() throws {
        if let path { return try query(path) }
        let start = try since.map(Self.time(of:))
        let client = try scan ? beginScan() : device.connect()
        try client.follow(.watch(app, sinceSeconds: start), ReportPrinter(json: output.json).show)
    }

    private func query(_ pattern: String) throws {
        let query = try MetadataQuery(
            app, at: device.location(), matching: pattern, predicate.map { try QueryPredicate($0) },
            in: scope ?? .documents)
        try query.run { line in
            try? printJSON(line, onOneLine: true)
            flushOutput()
        }
    }

    /// Begins to search what is written, on a thread of its own: what an app writes needs nobody's other
    /// rights.
    private func beginScan() throws -> DaemonClient {
        let given = try device.location()
        guard !given.isMissing else { throw given.missing }
        let location = try given.asOwner()
        let (app, printer) = (app, ReportPrinter(json: output.json))
        let begun = Gate<Result<Void, any Error>?>(nil)
        try NativeThread(name: "scan") {
            do {
                let scan = try ContainerScan(app, at: location) { printer.show(.event($0)) }
                begun.update { $0 = .success(()) }
                try scan.run()
            } catch {
                if begun.update({ $0 != nil }) { printError("apphome: note: --scan has ended: \(error)") }
                begun.update { $0 = $0 ?? .failure(error) }
            }
        }.detach()
        try begun.wait { $0 }?.get()
        return try DaemonClient.connect(to: location)
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

/// Prints what is told, a line each.
private struct ReportPrinter: Sendable {
    let json: Bool

    func show(_ report: WatchReport) {
        switch report {
        case .began(let knownSince):
            guard let knownSince else { return }
            printError("apphome: what happened before \(knownSince.text) is not known any more")
        case .event(let event):
            if json { return show(event) }
            show(printable(event.line))
        case .dropped(let count):
            if json { return show(DroppedEvents(count: count)) }
            let events = counted(Int(clamping: count), "event")
            show("\(events) left out here, for they came faster than they were read")
        }
    }

    private func show(_ line: String) {
        print(line)
        flushOutput()
    }

    private func show(_ value: some Encodable) { try? printJSON(value, onOneLine: true) }
}

/// What `--json` prints where events are missing.
private struct DroppedEvents: Encodable {
    var event = "dropped"
    let count: UInt64
}

extension MetadataQuery.Scope: ExpressibleByArgument {}

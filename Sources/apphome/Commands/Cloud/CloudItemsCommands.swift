internal import ArgumentParser
internal import CLinux
internal import Posix
internal import SystemPackage
internal import Wire

/// `apphome cloud ls`
struct CloudListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Lists an app's documents in the cloud, and which have their bytes here.",
        examples: ["apphome cloud ls Notes", "apphome cloud ls Notes Photos/2026"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "A path below Documents.") var path = ""
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let items = try device.ask(.documents(of: app, below: path))
        if output.json { return try printJSON(items) }
        printTable(
            items.map { item in
                let isDirectory = item.kind == "directory"
                return [
                    item.status, isDirectory ? "-" : byteCount(item.size), item.modified?.text ?? "-",
                    printable(item.path) + (isDirectory ? "/" : ""),
                ]
            })
    }
}

/// `apphome cloud rm`
struct CloudRemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Deletes a document in the cloud, and so on every device.",
        discussion: """
            It goes on this device as on every other one; what is excluded from sync
            stays. What is deleted is kept for thirty days, for devices that are away.
            With --forever, which asks first, what was deleted at that path, now and
            before, is kept for seven days, as devices may be at work with it; then cloud
            gc takes its bytes, those of small documents, which lie in packs with others,
            a week later. What other documents have of the same bytes stays as long as
            those, and snapshots of backup create --cloud keep what they have. Devices
            with an earlier AppHome read on and stop uploading for the app until they have
            a newer one.
            """,
        examples: ["apphome cloud rm Notes old.txt", "apphome cloud rm Notes secret.txt --forever"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "A path below Documents.") var path: String
    @Flag(help: "Also ends the time for which it is kept in the store.") var forever = false
    @Flag(help: "Does not ask.") var yes = false
    @OptionGroup var device: DeviceOptions

    func run() throws {
        if forever { return try removeForEver() }
        let report = try device.ask(.removeDocument(at: path, of: app))
        if let rest = report.rest { print(printable("deleted here; elsewhere when it syncs. \(rest)")) }
    }

    private func removeForEver() throws {
        if !yes {
            try Confirmation(
                command: "cloud rm --forever",
                consequence: "delete \(path) on every device, and what is kept of it",
                question: "Delete \(path) on every device, and what is kept of it?",
                refusal: "\(path) stays as it is"
            ).ask()
        }
        let removal = try device.ask(.removeDocumentForEver(at: path, of: app))
        if removal.contents > 0 {
            print("deleted; cloud gc takes the bytes from \(removal.end.text) on")
        }
        if removal.kept > 0 {
            print(
                "\(counted(removal.kept, "content")) of it \(removal.kept == 1 ? "stays" : "stay") longer: "
                    + "other documents, deleted or not, have the same bytes")
        }
    }
}

/// `apphome cloud cat`
struct CloudCatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Writes a document's bytes, or those of an older or conflicting version.",
        examples: [
            "apphome cloud cat Notes letter.txt",
            "apphome cloud cat Notes letter.txt --version 4f2a90c1-12-0",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "A path below Documents.") var path: String
    @Option(help: "A version, as cloud conflicts names them.") var version: String?
    @OptionGroup var device: DeviceOptions

    func run() throws {
        let output = try OutputPipe()
        let call = Call.writeDocument(at: path, of: app, version: version, to: output.writer)
        try output.write(path) { try device.connect().ask(call, passingOn: $0) }
    }
}

internal import ArgumentParser
internal import Posix
internal import Wire

/// `apphome backup forget-undo`
struct BackupForgetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget-undo",
        abstract: "Frees what is kept to take a restore or reset back.",
        discussion: """
            A restore, a reset and an undo keep the data that they replaced until the app's next one. \
            Afterwards --undo says that there is nothing to undo. Asks first.
            """,
        examples: [
            "apphome backup forget-undo Notes", "apphome backup forget-undo --dry-run",
            "apphome backup forget-undo --yes",
        ])

    @Argument(help: "Names or identifiers; none: all apps.", completion: .apps) var apps: [String] = []
    @Flag(help: "Do not ask.") var yes = false
    @Flag(help: "Free nothing: show what is kept.") var dryRun = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var client = try device.connect()
        let copies = try client.ask(.forgetUndo(of: apps, isConfirmed: false))
        if !dryRun, !copies.isEmpty {
            if !yes {
                try confirm(copies)
                // A new connection: a person may take any time to answer.
                client = try device.connect()
                guard try client.ask(.forgetUndo(of: apps, isConfirmed: false)) == copies else {
                    throw CommandFailure(
                        "what is kept changed meanwhile, and stays; look again: apphome backup forget-undo"
                            + " --dry-run")
                }
            }
            // Removes what this connection was told of.
            _ = try client.ask(.forgetUndo(of: apps, isConfirmed: true))
        }
        if output.json { return try printJSON(copies) }
        guard !copies.isEmpty else { return print("nothing is kept: there is nothing to undo") }
        printTable(copies.map(\.row), header: ["app", "kept", "replaced at"])
        print("\(dryRun ? "would free" : "freed") \(byteCount(copies.bytes))")
    }

    private func confirm(_ copies: [UndoCopy]) throws {
        let names = copies.map(\.name).joined(separator: ", ")
        try Confirmation(
            command: "forget-undo", consequence: "remove what restores of \(names) replaced",
            details: copies.map { $0.row.joined(separator: "  ") },
            question: "Remove what restores and resets of \(names) replaced (\(byteCount(copies.bytes)))?",
            refusal: "it stays, for apphome backup restore --undo"
        ).ask()
    }
}

extension UndoCopy {
    fileprivate var row: [String] { [name, byteCount(bytes), time?.text ?? "-"] }

    /// What frees it.
    var command: String { Self.command(of: name) }

    /// - Parameter app: as commands take it.
    static func command(of app: String) -> String { "apphome backup forget-undo \(shellQuoted(app))" }
}

extension [UndoCopy] {
    fileprivate var bytes: Int64 { reduce(Int64(0)) { $0.addingSaturated($1.bytes) } }
}

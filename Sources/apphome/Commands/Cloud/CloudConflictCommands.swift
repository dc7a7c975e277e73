internal import ArgumentParser
internal import Wire

/// `apphome cloud conflicts`
struct CloudConflictsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conflicts", abstract: "Documents that have more than one version.",
        discussion: """
            The times are those of the contents, as the devices say that made them; those
            in parentheses are the store's.
            """,
        examples: ["apphome cloud conflicts Notes"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let conflicts = try device.ask(.conflicts(of: app))
        if output.json { return try printJSON(conflicts) }
        for conflict in conflicts {
            print(printable(conflict.path))
            printTable(
                conflict.versions.map {
                    [
                        "  " + shortVersion($0.id), $0.isCurrent ? "current" : "version", byteCount($0.size),
                        $0.modified.text + ($0.committed.map { " (\($0.text))" } ?? ""), "by \($0.device)",
                    ].map(printable)
                })
        }
    }
}

/// `apphome cloud resolve`
struct CloudResolveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve", abstract: "Ends a document's conflict, on every device.",
        discussion: """
            What is not kept stays in the store for thirty days, for cloud cat --version.
            Versions that came after this device was last in step are not touched. With
            both, each version becomes a document beside the current one.
            """,
        examples: [
            "apphome cloud resolve Notes letter.txt --keep current",
            "apphome cloud resolve Notes letter.txt --keep 4f2a90c1-12-0",
            "apphome cloud resolve Notes letter.txt --keep both",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "A path below Documents.") var path: String
    @Option(help: "current, both, or a version as cloud conflicts names them.") var keep: String
    @OptionGroup var device: DeviceOptions

    func run() throws { try device.tell(.resolveConflict(at: path, of: app, keeping: keep)) }
}

/// A version as tables have it: of its device's id the first letters are enough.
func shortVersion(_ id: String) -> String {
    let parts = id.split(separator: "-", maxSplits: 1)
    guard parts.count == 2 else { return id }
    return "\(parts[0].prefix(8))-\(parts[1])"
}

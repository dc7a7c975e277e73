internal import ArgumentParser
internal import Posix
internal import Wire

/// `apphome purge`
struct PurgeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Empties Library/Caches and tmp of apps that are not running, as a device does.",
        discussion:
            "An app is running while apphome run runs a program as it, or a file of its home is open.",
        examples: [
            "apphome purge", "apphome purge --app Notes", "apphome purge --to-free 2G --dry-run",
        ])

    @Option(help: "Only this one; refused while it is running.", completion: .apps) var app: String?
    @Option(help: ArgumentHelp("Stop when so much was freed: bytes, 500M, 2G.", valueName: "bytes"))
    var toFree: ByteAmount?
    @Flag(help: "Empty nothing: show what would be freed.") var dryRun = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if app != nil, toFree != nil { throw ValidationError("--app and --to-free exclude each other") }
    }

    func run() throws {
        let arguments = PurgeArguments(app: app, bytesToFree: toFree?.bytes, isDryRun: dryRun)
        let reports = try device.ask(.purge(arguments))
        if output.json { return try printJSON(reports) }
        printTable(reports.map { [printable($0.name), $0.text] })
        let bytes = reports.reduce(Int64(0)) { $0.addingSaturated($1.freedBytes) }
        print("\(dryRun ? "would free" : "freed") \(byteCount(bytes))")
        let undoBytes = reports.reduce(Int64(0)) { $0.addingSaturated($1.undoBytes) }
        if undoBytes > 0 {
            print("kept for --undo: \(byteCount(undoBytes)); to free it: apphome backup forget-undo")
        }
    }
}

extension PurgeReport {
    fileprivate var text: String {
        if let kept {
            guard kept == Self.running else { return "kept: \(kept)" }
            return freedBytes == 0 ? "running, kept" : byteCount(freedBytes) + ", then began to run"
        }
        let left = leftItems == 0 ? "" : ", \(counted(leftItems, "item")) stayed"
        return byteCount(freedBytes) + left
    }
}

internal import ArgumentParser
internal import Doctor
internal import Posix
internal import Wire

/// `apphome doctor [APP]`
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Looks through an app for what breaks on a device, or would be turned down in a review.",
        discussion: """
            Each finding has a code: error, what breaks on a device; warning, what breaks elsewhere or is \
            turned down; note, what is worth knowing. The home is read and not changed, by the path where it \
            is mounted or by a mount for this command alone, and an app that writes meanwhile is kept from \
            nothing. Exits 3 where there are findings at --fail-on or above.
            """,
        examples: [
            "apphome doctor Notes",
            "apphome doctor Notes --fail-on warning --large 5M",
            "apphome doctor --json > findings.json",
            "apphome doctor --explain CONTAINER-PATH",
        ])

    @Argument(help: "The app's name or identifier; without: all apps.", completion: .apps) var app: String?
    @Option(help: ArgumentHelp("Exit 3 from here on: error, warning or note.", valueName: "severity"))
    var failOn = Severity.error
    @Option(help: ArgumentHelp("From what size a document is large: bytes, 500K, 2M.", valueName: "bytes"))
    var large: ByteAmount?
    @Flag(help: "Fetch documents whose contents are in the cloud alone, and look at them too.")
    var download = false
    @Option(
        help: ArgumentHelp("Print what a code means and how to mend it; list: all codes.", valueName: "code"),
        completion: .list(FindingCode.allCases.map(\.rawValue) + [explainsAll]))
    var explain: String?
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    private static let explainsAll = "list"

    func run() throws {
        if let explain { return try Self.explain(explain) }
        // Nothing here needs root's rights, and what is read is an app's.
        let given = try device.location()
        guard !given.isMissing else { throw given.missing }
        let location = try given.asOwner()
        let client = try DaemonClient.connect(to: location)
        let apps = try app.map { [$0] } ?? Self.apps(try client.ask(.list))
        var options = Examination.Options(downloads: download)
        if let large { options.largeBytes = UInt64(clamping: large.bytes) }
        let reports = try DoctorRun.reports(of: apps, at: location, options)
        let writer: any FindingWriter = output.json ? JSONFindingWriter() : TextFindingWriter()
        try writer.write(reports)
        // Some of them were named on standard error.
        guard reports.count == apps.count else { throw ExitCode.failure }
        if reports.contains(where: { $0.found.count(atLeast: failOn) > 0 }) {
            throw ExitCode(Self.findingsStatus)
        }
    }

    /// `--explain` of nothing is of all codes.
    static func rewrite(_ arguments: [String]) -> [String] {
        arguments.last == "--explain" ? arguments + [explainsAll] : arguments
    }

    private static let findingsStatus: Int32 = 3

    /// Those whose bundle is here: of another one nothing runs on this device.
    private static func apps(_ all: [AppSummary]) -> [String] {
        all.filter { !$0.isPlaceholder }.map(\.bundleID)
    }

    private static func explain(_ word: String) throws {
        if word.lowercased() == explainsAll { return printTable(Explanation.list) }
        guard let code = FindingCode(rawValue: word.uppercased()) else {
            throw CommandFailure(
                "\(word) is no code of a finding. See: apphome doctor --explain list", exitStatus: 64)
        }
        for line in Explanation.page(of: code) { print(line) }
    }
}

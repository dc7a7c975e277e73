internal import ArgumentParser
internal import Glibc
internal import Posix
internal import Wire

/// `apphome device list`
struct DeviceListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Your devices: those with a name, and others that were mounted.",
        examples: ["apphome device list", "apphome device list --json"])

    @OptionGroup var output: OutputOptions

    func run() throws {
        let devices = try KnownDevice.all()
        if output.json { return try printJSON(devices) }
        let rows = devices.map { [$0.name, $0.state, $0.path] }
        printTable(rows, header: ["name", "state", "path"])
        if devices.isEmpty { printError("no devices; make one with: apphome device create NAME") }
    }
}

/// `apphome device log`
struct DeviceLogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "What the device's daemon wrote into its log.",
        examples: ["apphome device log", "apphome device log -f --device work"])

    @Flag(name: .shortAndLong, help: "Go on with what comes.") var follow = false
    @Option(name: [.customShort("n"), .long], help: "So many of the last lines.") var lines = 100
    @OptionGroup var device: DeviceOptions

    func validate() throws {
        if lines < 0 { throw ValidationError("--lines wants a number that is not below 0") }
    }

    func run() throws {
        let named = try device.location()
        guard !named.isMissing else { throw named.missing }
        let path = try named.asOwner().path + "/run/daemon.log"
        guard access(path, R_OK) == 0 else { throw CommandFailure("the device has no log yet") }
        // The daemon may begin a new file.
        let words = ["tail", "-n", "\(lines)"] + (follow ? ["-F", "--", path] : ["--", path])
        var arguments = words.map { strdup($0) } + [nil]
        execvp("tail", &arguments)
        throw CommandFailure("cannot start tail: \(String(cString: strerror(errno)))")
    }
}

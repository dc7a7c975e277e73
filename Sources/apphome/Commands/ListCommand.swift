internal import ArgumentParser
internal import Wire

/// `apphome list`
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "The apps of the device, what each shares, and where it is mounted.",
        examples: ["apphome list", "apphome list --json --device test", "apphome list --all"])

    @Flag(help: "The mounts of all your devices, and no apps.") var all = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        if all { return try showMounts() }
        let client = try device.connect(toOtherProtocols: true)
        let apps = try client.ask(.list)
        if output.json { return try printJSON(apps) }
        printTable(apps.map(\.row), header: AppSummary.header)
        var places: Set<String> = []
        for mount in apps.flatMap(\.mounts) where mount.kind.isOfDevice && places.insert(mount.dir).inserted {
            print(printable("\(mount.kind == .files ? "Files" : "the device") mounted at \(mount.dir)"))
        }
        for crash in apps.flatMap(\.crashed) { print(printable(crash.notice)) }
        if apps.isEmpty { printError("no apps on \(client.location.path); make one with: apphome new NAME") }
    }
}

extension ListCommand {
    private func showMounts() throws {
        let devices = try KnownDevice.all().filter { !$0.mounts.isEmpty }
        if output.json { return try printJSON(devices) }
        let rows = devices.flatMap { device in
            device.mounts.map { mount in
                [device.name, mount.kind.rawValue, mount.of.isEmpty ? "-" : mount.name, mount.dir]
            }
        }
        printTable(rows, header: ["device", "kind", "of", "directory"])
        if devices.isEmpty { printError("nothing is mounted") }
    }
}

extension AppSummary {
    static var header: [String] { ["name", "identifier", "version", "shares", "mounted at"] }

    /// Name, identifier, version, what it shares, where it is mounted.
    var row: [String] {
        let views = [sharing.itunes ? "itunes" : nil, sharing.files ? "files" : nil].compactMap { $0 }
        let places = mounts.filter { !$0.kind.isOfDevice }.map {
            $0.kind == .home ? $0.dir : "\($0.dir) (\($0.kind.rawValue))"
        }
        return [
            name, bundleID, version ?? "-",
            isPlaceholder ? "placeholder" : views.isEmpty ? "shares nothing" : views.joined(separator: ","),
            places.isEmpty ? "not mounted" : places.joined(separator: ", "),
        ].map(printable)
    }
}

internal import ArgumentParser
internal import Wire

/// `apphome info APP`
struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "One app: version, containers, sharing, groups, sizes, mounts.",
        examples: ["apphome info Notes", "apphome info local.Notes --json"])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        let info = try device.connect(toOtherProtocols: true).ask(.info(of: app))
        if output.json { return try printJSON(info) }
        printTable(info.rows)
    }
}

extension AppInfo {
    var rows: [[String]] {
        let shares = [sharing.itunes ? "itunes" : nil, sharing.files ? "files" : nil].compactMap { $0 }
        var rows = [
            ["name", name], ["identifier", bundleID], ["version", version ?? "-"],
            ["bundle", bundle ?? "none (a placeholder)"], ["home", home],
            ["groups", groups.isEmpty ? "none" : groups.joined(separator: ", ")],
            ["shares", shares.isEmpty ? "nothing" : shares.joined(separator: ", ")],
            ["entitlements", entitlements], ["running", running ? "yes" : "no"],
        ]
        rows += (programs ?? []).map { ["", "\($0.command) (pid \($0.pid))"] }
        rows += sizes.sorted { $0.key < $1.key }.map { ["size of \($0.key)", byteCount($0.value)] }
        if let undo {
            let since = undo.time.map { " of \($0.text)" } ?? ""
            rows.append(["kept for --undo", byteCount(undo.bytes) + since])
            rows.append(["", "to free it: \(undo.command)"])
        }
        for mount in mounts {
            let ways = "\(mount.data), \(mount.transport)"
            rows.append(["mounted", "\(mount.dir) (\(mount.kind.rawValue), pid \(mount.pid), \(ways))"])
            if let reason = mount.dataReason { rows.append(["", "no passthrough: \(reason)"]) }
            if let reason = mount.transportReason { rows.append(["", "no ring: \(reason)"]) }
        }
        return rows.map { $0.map(printable) }
    }
}

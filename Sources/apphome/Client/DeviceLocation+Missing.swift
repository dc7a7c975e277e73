internal import Glibc
internal import Posix
internal import Wire

/// A device that a person named and that is not there, most often by a slip: which one was meant.
extension DeviceLocation {
    /// Whether no device is there. A folder becomes one with its first command, which makes `run/` first.
    var isMissing: Bool { ["run", "catalogue.sqlite"].allSatisfy { Self.isMissing("\(path)/\($0)") } }

    /// As a person names it: by its name, where it has one.
    var name: String {
        guard let devices = try? Self.devicesFolder(of: owner == .current ? nil : owner),
            let (folder, name) = split, folder == devices
        else { return path }
        return name
    }

    /// What a command says that makes no device.
    var missing: CommandFailure {
        let remedy = "make it with: apphome device create \(shellQuoted(name))"
        guard let likely else { return CommandFailure("there is no device \(name); \(remedy)") }
        return CommandFailure("there is no device \(name); did you mean \(likely)? Or \(remedy)")
    }

    /// What a command says that changes a device, or takes it away.
    var notThere: CommandFailure {
        let meant = likely.map { "; did you mean \($0)? See" } ?? "; see what is there"
        return CommandFailure("there is no device \(name)\(meant): apphome device list")
    }

    /// The device beside it whose name is the nearest.
    private var likely: String? {
        guard let (folder, name) = split,
            let listing = try? Descriptor(folder, flags: O_DIRECTORY),
            let names = try? DirectoryEntries.names(in: listing.raw)
        else { return nil }
        let devices = names.map(\.nameText).filter { !Self.isMissing("\(folder)/\($0)/catalogue.sqlite") }
        return devices.nearest(to: name).map { self.name == name ? $0 : "\(folder)/\($0)" }
    }

    private var split: (folder: String, name: String)? {
        let place = path.directoryAndName
        guard let folder = place.directory, !folder.isEmpty else { return nil }
        return (folder, place.name)
    }

    /// What may not be looked at is no slip of the pen: opening it says what is wrong.
    private static func isMissing(_ path: String) -> Bool {
        access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)
    }
}

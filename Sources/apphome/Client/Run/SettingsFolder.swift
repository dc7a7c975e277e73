internal import CLinux
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// The folder with a kind's settings for programs that run outside of the sandbox.
struct SettingsFolder {
    /// Where the device is.
    let device: String
    let bundleID: String

    private var place: String { "run/environment/" + bundleID }
    /// Reached from the device's folder without following links.
    private var path: String { device + "/" + place }

    /// Writes the settings of the environment's kind, and tells the environment where they are.
    func write(for environment: inout AppEnvironment) throws {
        environment.configuration = path
        if let settings = ProgramSettings(of: environment) { try write(settings) }
    }

    private func write(_ settings: ProgramSettings) throws {
        do {
            let device = try Descriptor(device, flags: O_DIRECTORY)
            let folder = try FileTree.ensureDirectory(device.raw, place)
            try replace(settings.name, in: folder, Array(settings.content.utf8))
        } catch {
            throw CommandFailure("cannot write \(path): \(error)")
        }
    }

    private func replace(
        _ name: String, in folder: borrowing Descriptor, _ bytes: [UInt8]
    ) throws(Errno) {
        // Two commands may do this at once.
        let aside = name + ".\(getpid())"
        _ = lx_unlinkat(folder.raw, aside, 0)
        try FileTree.create(folder.raw, aside, bytes, mode: 0o600)
        try valueOrErrno(lx_renameat2(folder.raw, aside, folder.raw, name, 0))
    }
}

extension ProgramSettings {
    /// With the system's own where the kind's are made of them.
    init?(of environment: AppEnvironment) {
        self.init(for: environment, gnustep: systemText(Self.gnustepSystemFile) ?? "")
    }
}

internal import CLinux
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Copies a device's folder: cp(1) keeps links, holes, times and attributes, and shares bytes where it can.
struct DeviceCopy {
    private let source: HeldDevice
    private let target: DeviceLocation
    /// What a copy does not take over: the daemon's, what sync and findings remember, and what lasts for one
    /// change only.
    private static let leftOut: Set<String> = ["run", "Cloud", "Findings", "Staging", "reserve"]

    init(of source: HeldDevice, to target: DeviceLocation) {
        self.source = source
        self.target = target
    }

    /// - Parameters:
    ///   - interrupt: held until the command ends: once the copy is complete, it counts no more.
    ///   - show: told how far it is, several times a second, and at the end.
    /// - Throws: also after an interrupt. Nothing is left of the copy then.
    func run(_ interrupt: Interrupt, show: @escaping (Progress) -> Void) throws {
        let (folder, name) = target.path.directoryAndName
        do {
            let parent = SharedDescriptor(
                try DeviceLocation.openFolder(folder ?? "/", owner: target.owner, makes: true))
            try copy(to: try AtomicItem(named: name, in: parent.raw, .nothing), in: parent, interrupt, show)
        } catch Errno.fileExists {
            throw CommandFailure("\(target.path) is there already: give another name")
        } catch let errno as Errno {
            throw CommandFailure("cannot make \(target.path): \(errno)")
        }
    }

    private func copy(
        to copy: AtomicItem, in parent: SharedDescriptor, _ interrupt: Interrupt,
        _ show: @escaping (Progress) -> Void
    ) throws {
        do {
            try valueOrErrno(lx_mkdirat(parent.raw, copy.temporaryName, 0o700))
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
            let made = SharedDescriptor(try Descriptor(at: parent.raw, copy.temporaryName, flags: flags))
            // Before anything else: nobody may take it for the other one.
            try FileTree.create(made.raw, DeviceMark.clone, [], mode: 0o600)
            // By that a folder is known for a device, also the copy of one that was erased.
            try valueOrErrno(lx_mkdirat(made.raw, "run", 0o700))
            let status = try copyAll(to: made, interrupt, show)
            // The terminal has told cp too.
            try Self.goOn(unless: interrupt)
            guard status == 0 else {
                throw CommandFailure("cannot copy the device: cp ends with \(status), see above")
            }
            try valueOrErrno(lx_syncfs(made.raw))
            // That takes as long as the disk needs for all that was written to it.
            try Self.goOn(unless: interrupt)
            try copy.finish()
        } catch {
            copy.discard()
            throw error
        }
    }

    private static func goOn(unless interrupt: Interrupt) throws {
        guard interrupt.hasCome else { return }
        throw CommandFailure("interrupted: nothing has changed", exitStatus: Interrupt.exitStatus)
    }

    /// - Returns: the exit status of cp.
    private func copyAll(
        to made: SharedDescriptor, _ interrupt: Interrupt, _ show: @escaping (Progress) -> Void
    ) throws -> Int32 {
        let names = try DirectoryEntries.names(in: source.directory.raw).map(\.nameText)
        let taken = names.filter { !Self.leftOut.contains($0) }
        let run = CopyRun(from: source.directory, to: made, interrupt, show)
        try run.expect(taken)
        // The catalogue's blocks are its own on each device: on a full disk it is written in place.
        let isOwn = { (name: String) in name.hasPrefix("catalogue.sqlite") }
        let status = try run.copy(taken.filter { !isOwn($0) }, sharing: "auto")
        return try status == 0 ? run.copy(taken.filter(isOwn), sharing: "never") : status
    }
}

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
    /// What a copy does not take over: the daemon's, what sync remembers, and what lasts for one change only.
    private static let leftOut: Set<String> = ["run", "Cloud", "Staging"]

    init(of source: HeldDevice, to target: DeviceLocation) {
        self.source = source
        self.target = target
    }

    /// - Throws: also after an interrupt. Nothing is left of the copy then.
    func run() throws {
        let (folder, name) = target.path.directoryAndName
        let parent = SharedDescriptor(
            try DeviceLocation.openFolder(folder ?? "/", owner: target.owner, makes: true))
        // The terminal tells cp too.
        let signals = try Signals([SIGINT, SIGTERM])
        let copy = try AtomicItem(named: name, in: parent.raw, replaces: false)
        do {
            try valueOrErrno(lx_mkdirat(parent.raw, copy.temporaryName, 0o700))
            let made = SharedDescriptor(
                try Descriptor(at: parent.raw, copy.temporaryName, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
            )
            // Before anything else: nobody may take it for the other one.
            try FileTree.create(made.raw, DeviceMark.clone, [], mode: 0o600)
            let status = try copyAll(to: made)
            guard status == 0, signals.next() == nil else {
                throw CommandFailure(
                    status == 0 || status == 130
                        ? "interrupted: nothing has changed" : "cp ends with \(status)",
                    exitStatus: status == 0 || status == 130 ? Interrupt.exitStatus : 1)
            }
            try valueOrErrno(lx_syncfs(made.raw))
            try copy.finish()
        } catch Errno.fileExists {
            throw CommandFailure("\(target.path) is there already: give another name")
        } catch {
            copy.discard()
            throw error
        }
    }

    /// - Returns: the exit status of cp.
    private func copyAll(to made: SharedDescriptor) throws -> Int32 {
        let names = try DirectoryEntries.names(in: source.directory.raw).map(\.nameText)
        // By descriptors, which are those numbers in it.
        let words =
            ["-a", "--reflink=auto", "--"]
            + names.filter { !Self.leftOut.contains($0) }.map { "/proc/self/fd/3/" + $0 } + [
                "/proc/self/fd/4/"
            ]
        let child = try Child(
            "/bin/cp", arguments: words, environment: [],
            descriptors: [0, 1, 2, source.directory.raw, made.raw])
        return try child.wait()
    }
}

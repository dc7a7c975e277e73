internal import ArgumentParser
internal import CLinux
internal import FuseKit
internal import Posix
internal import Wire

/// `apphome unmount DIR…|APP…|--all`
struct UnmountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unmount", abstract: "Unmounts a home or view, and cleans a dead mount.",
        discussion: "With a home go the containers of the app's groups, if no other app has a use for them.",
        examples: [
            "apphome unmount ~/notes", "apphome unmount Notes", "apphome unmount --all",
            "apphome unmount --lazy ~/notes ~/shared",
        ])

    @Argument(help: ArgumentHelp("Where it is mounted, or an app: all its mounts.", valueName: "dir|app"))
    var names: [String] = []
    @Flag(help: "All mounts of the device.") var all = false
    @Flag(help: "Detach now; the mount ends when no program uses it any more.") var lazy = false
    @Flag(help: "Wait until all is uploaded, however long; exit 4 where something is left.") var wait = false
    @Option(
        name: .customLong("wait-for"),
        help: ArgumentHelp(
            "As --wait, and at most so long; --wait=SECONDS says the same.", valueName: "seconds"))
    var waitSeconds: Double?
    @OptionGroup var device: DeviceOptions

    /// `--wait=5` as this parser can read it: an option has a value always, or never.
    static func rewrite(_ argument: String) -> String {
        argument.hasPrefix("--wait=") ? "--wait-for=" + argument.dropFirst("--wait=".count) : argument
    }

    func validate() throws {
        if names.isEmpty != all { throw ValidationError("name directories or apps, or give --all") }
    }

    func run() throws {
        var unmounter = Unmounter(fallback: device.location, lazy: lazy)
        unmounter.wait = waitSeconds.map { .seconds($0) } ?? (wait ? .completely : .briefly)
        var failures: [CommandFailure] = []
        var isComplete = true
        let (directories, daemon) = try chosen()
        for directory in directories {
            do {
                let result = try unmounter.unmount(directory)
                for line in result.lines { print(printable(line)) }
                isComplete = isComplete && result.isComplete
            } catch {
                failures.append(CommandFailure(describing: error))
            }
        }
        // One that fails does not keep the others mounted.
        for failure in failures.dropLast() { printError("apphome: error: \(printable(failure.message))") }
        if let last = failures.last { throw last }
        if let daemon { _ = try? Waiting.wait(for: [daemon.raw], until: Deadline(seconds: Self.endSeconds)) }
        if !isComplete, wait || waitSeconds != nil { throw ExitCode(4) }
    }

    /// So long a daemon may take to end that has nothing to do any more. One that other commands keep, or
    /// systemd, stays.
    private static let endSeconds = 2.0

    /// - Returns: what is to be unmounted; and for `--all` the process of the daemon, to be seen out: the
    ///   disk that the device lies on is often unmounted next. With `--lazy` mounts may stay, and so it.
    private func chosen() throws -> (directories: [String], daemon: SharedDescriptor?) {
        guard all else { return (try named(), nil) }
        let client = try device.connect(toOtherProtocols: true)
        // While this is connected to it, its number is no other process's.
        let daemon = lazy ? nil : client.hello.processID.flatMap { try? valueOrErrno(lx_process($0)) }
        return (
            try MountsOfDevice(client).all, daemon.map { SharedDescriptor(Descriptor(owning: $0)) }
        )
    }

    private func named() throws -> [String] {
        try names.flatMap { name in
            guard !name.hasSlash, try MountTable.current().entry(at: NamedPath.mountPoint(name)) == nil,
                let client = try? device.connect(toOtherProtocols: true),
                let mounts = try? MountsOfDevice(client).ofApp(name)
            else { return [name] }
            if mounts.isEmpty { throw CommandFailure("\(name) is not mounted") }
            return mounts
        }
    }
}

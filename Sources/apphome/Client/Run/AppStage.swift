internal import CLinux
internal import CloudStore
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// An app whose home is mounted for a program: by somebody already, or by this command for as long as the
/// program lives.
///
/// The commands that run programs of one app take turns at mounting and unmounting, by a lock on the folder
/// in which they mount; whoever is last unmounts.
final class AppStage {
    let grant: RunGrant
    /// Where the home is mounted, and the bundle.
    let home: String
    let bundle: String
    /// Whether the bundle is also seen in the home.
    let showsBundle: Bool
    /// Where the containers of its groups are mounted, by their UUIDs. The daemon ends those mounts, when no
    /// other app has a use for them.
    let groups: [(container: String, path: String)]
    /// Whether it is known what the program left outside of its home.
    private(set) var knowsOutside = false
    private let client: DaemonClient
    private let location: DeviceLocation

    /// - Parameter noSync: whether Documents stay on this device, where this command mounts the home.
    init(_ app: String, command: String, at location: DeviceLocation, noSync: Bool) throws {
        self.location = location
        client = try DaemonClient.connect(to: location)
        let program = RunningProgram(pid: getpid(), command: command)
        let grant = try client.ask(.beginRun(RunArguments(app: app, program: program)))
        self.grant = grant
        let lock = try Self.lock(grant.folder)
        let shown = try ShownApp(grant, client: try DaemonClient.connect(to: location), noSync: noSync)
        (home, bundle, showsBundle) = (shown.home, shown.bundle, shown.showsBundle)
        groups = try grant.groups.map { group in
            (group.container, try Self.mountedGroup(group.name, grant.bundleID, location))
        }
        withExtendedLifetime(lock) {}
    }

    /// The folder with all apps' documents; nil where the account's store is none.
    func storeFolder() throws -> String? {
        guard case .folder(let path) = try StoreURL(client.ask(.account).url) else { return nil }
        return path
    }

    /// What happened to the app's files since the program began.
    func events() throws -> (events: [WatchedEvent], isCut: Bool) {
        try client.ask(.events(of: grant.bundleID, after: grant.lastEvent))
    }

    /// Tells the daemon what the program, which has ended, left outside of its home.
    /// - Parameter left: nil where that is not known.
    func note(_ left: LeftOutside?) {
        guard let left else { return }
        do {
            if !left.items.isEmpty { try client.ask(.leftOutside(left)) }
            knowsOutside = true
        } catch { printError("apphome: note: " + printable(CommandFailure(describing: error).message)) }
    }

    private static func mountedGroup(
        _ group: String, _ app: String, _ location: DeviceLocation
    ) throws -> String {
        // A connection mounts one thing.
        let client = try DaemonClient.connect(to: location)
        let place = try client.ask(.place(ofGroup: group, app: app, isForRun: true))
        guard let directory = place.directory else {
            throw CommandFailure(place.reason ?? "the app gets null for \(group)")
        }
        return place.isMounted
            ? directory : try client.mountGroup(group, of: app, at: directory, isForRun: true)
    }

    /// The program has ended.
    func leave() throws {
        let lock = try Self.lock(grant.folder)
        defer { withExtendedLifetime(lock) {} }
        let kinds = try client.ask(.endRun)
        let table = try MountTable.current()
        let location = location
        for kind in [MountKind.bundle, .home] where kinds.contains(kind) {
            // The table has paths without links, and a device may be named by one, or with a slash behind it.
            let place = try MountPoint.resolve(grant.folder + "/" + kind.rawValue)
            guard table.entry(at: place) != nil else { continue }
            for line in try Unmounter(fallback: { location }).unmount(place).lines {
                printError("apphome: note: " + printable(line))
            }
        }
    }

    /// Keeps commands from mounting for programs of the app, and from unmounting what they mounted, as long
    /// as what it returns lives.
    static func lock(_ folder: String) throws -> SharedDescriptor {
        do {
            let opened = try Descriptor(folder, flags: O_DIRECTORY)
            try valueOrErrno(lx_flock(opened.raw, 1))
            return SharedDescriptor(opened)
        } catch {
            throw CommandFailure("cannot lock \(folder): \(error)")
        }
    }
}

/// Finds where an app's home and bundle are mounted, and mounts what is not.
private struct ShownApp {
    let home: String
    let bundle: String
    let showsBundle: Bool

    init(_ grant: RunGrant, client: DaemonClient, noSync: Bool) throws {
        let info = try client.ask(.info(of: grant.bundleID))
        let mounter = Mounter(client: client)
        func mounted(_ kind: MountKind) throws -> String {
            if let mount = info.mounts.first(where: { $0.kind == kind }) {
                try Self.checkIsMounted(mount)
                return mount.dir
            }
            let name = kind == .home ? "home" : "bundle"
            var arguments = MountArguments(
                app: grant.bundleID, kind: kind, directory: grant.folder + "/" + name)
            arguments.showsBundle = false
            arguments.isForRun = true
            arguments.noSync = noSync
            return try mounter.mount(arguments).directory
        }
        home = try mounted(.home)
        let inner = home + "/" + grant.bundleName
        showsBundle = access(inner, F_OK) == 0
        bundle = showsBundle ? inner : try mounted(.bundle)
    }

    /// A mount that was taken out of the tree while programs hold it is served still, and its directory is an
    /// ordinary one by now.
    private static func checkIsMounted(_ mount: MountReport) throws {
        let entry = try MountTable.current().entry(at: mount.dir)
        guard entry.flatMap({ MountSource($0.source) })?.kind == mount.kind else {
            throw CommandFailure(
                "\(mount.dir) was unmounted while programs used it, and they still do;"
                    + " end them, and run again")
        }
    }
}

internal import Device
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import Wire

/// Where the containers of groups are mounted.
///
/// Each once for all its apps, below the device's `run/`: that view has the locks. What a person mounts
/// elsewhere is beside it.
struct GroupService: Sendable {
    let device: Device
    let devicePath: String
    let folder: RunFolder
    let mounts: MountService
    let events: EventRing

    private static let endSeconds = 10.0

    /// Where the app finds the group, or why it gets null. The client mounts it there, where it is not yet.
    /// Null is an event, as it is what the app would get on a device.
    /// - Parameter isForRun: whether a program asks; what a person asks for stays when programs end.
    func place(
        app name: String, group: String, isForRun: Bool, _ peer: UnixSocket.Peer
    ) throws -> ContainerPlace {
        let app = try device.app(named: name)
        let container: GroupContainer
        do { container = try device.groupContainer(named: group, of: app) } catch {
            guard error.kind == .badValue else { throw error }
            events.record(
                app: app.bundleID.value, event: "group-refused", path: group, detail: error.message,
                Program(ofThread: peer.processID))
            return ContainerPlace(reason: error.message)
        }
        if let mount = mainMount(of: container) {
            if !isForRun { mounts.registry.keep(mount.id) }
            return ContainerPlace(directory: mount.directory, isMounted: true)
        }
        try folder.makeFolder(RunPlace.groups)
        return ContainerPlace(directory: "\(devicePath)/run/\(RunPlace.group(container.group))")
    }

    private func mainMount(of container: GroupContainer) -> ActiveMount? {
        mounts.registry.all.first {
            $0.kind == .group && $0.group == container.group.value && $0.view != nil
        }
    }

    /// Where a person has mounted the group, beside the mount for its apps.
    func viewsOfPersons(of group: GroupIdentifier) -> [String] {
        mounts.registry.all.filter { $0.kind == .groupView && $0.group == group.value }.map(\.directory)
    }

    /// Ends the mounts, which are the daemon's own, of groups that go with the app.
    ///
    /// - Parameter kept: the groups that the app has afterwards.
    /// - Throws: where a program uses one.
    func endMounts(ofGroupsLeaving app: InstalledApp, kept: [GroupIdentifier] = []) throws {
        for container in try device.groupContainers(of: app)
        where container.owners == [app.bundleID] && !kept.contains(container.group) {
            guard let mount = mainMount(of: container) else { continue }
            do { try mounts.end(mount) } catch {
                throw CommandFailure(
                    "the group \(container.group) goes with \(app.name), and is in use at "
                        + "\(mount.directory): \(CommandFailure(answering: error).message)")
            }
            _ = mounts.registry.waitUntilEnded(mount.id, timeoutSeconds: Self.endSeconds)
        }
    }
}

internal import FuseKit
internal import Posix
internal import Wire

/// Mounts views of an app in this process's mount namespace, with its rights, and gives them to the daemon.
struct Mounter {
    let client: DaemonClient
    var allowsOthers = false
    /// No program runs from what is mounted.
    var forbidsExecution = false
    /// Whom the mount belongs to, where root mounts for somebody.
    var owner: Owner?

    /// Mounts one view.
    /// - Parameter arguments: its directory may be relative.
    /// - Returns: the directory, absolute, and what the daemon granted.
    func mount(_ arguments: MountArguments) throws -> (directory: String, grant: MountGrant) {
        var arguments = arguments
        arguments.directory = try MountPoint.resolve(arguments.directory)
        let deviceID = client.hello.deviceID
        let point = try MountPoint.prepare(arguments.directory) { source in
            deviceID != nil && MountSource(source)?.deviceID == deviceID
        }
        arguments.madeDirectory = point.wasMade
        let grant: MountGrant
        do {
            grant = try client.ask(.prepareMount(arguments, in: point.place.folder))
            try hand(over: try Mounting.mount(request(grant, arguments), at: point), point)
        } catch {
            point.removeIfMade()
            throw error
        }
        if let deviceID { DeviceIndex.note(id: deviceID, path: client.location.path) }
        for notice in grant.notices { printError("apphome: note: \(printable(notice))") }
        return (point.path, grant)
    }

    private func request(_ grant: MountGrant, _ arguments: MountArguments) -> MountRequest {
        var request = MountRequest(source: grant.source)
        request.allowsOthers = allowsOthers
        request.forbidsExecution = forbidsExecution
        request.isReadOnly = arguments.isReadOnly || arguments.kind == .share
        if let owner { (request.userID, request.groupID) = (owner.uid, owner.gid) }
        return request
    }

    private func hand(over device: consuming Descriptor, _ point: MountPoint) throws {
        do {
            _ = try client.ask(.attachMount(SharedDescriptor(device)))
        } catch {
            if let entry = try? point.place.entry() { try? Unmounting.clean(entry) }
            throw error
        }
    }
}

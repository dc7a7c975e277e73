internal import Device
internal import FuseKit
internal import Posix

/// Mounts views of an app in this process's mount namespace, with its rights, and gives them to the daemon.
struct Mounter {
    let client: DaemonClient
    var allowsOthers = false
    /// Whom the mount belongs to, where root mounts for somebody.
    var owner: Owner?

    /// Mounts one view.
    /// - Parameter arguments: its directory may be relative.
    /// - Returns: the directory, absolute, and what the daemon granted.
    func mount(_ arguments: MountArguments) throws -> (directory: String, grant: MountGrant) {
        var arguments = arguments
        arguments.directory = try MountPoint.resolve(arguments.directory)
        guard case .mountGranted(let grant) = try client.request(.prepareMount(arguments)) else {
            throw Self.unexpected
        }
        let deviceID = client.hello.deviceID
        let point = try MountPoint.prepare(arguments.directory) { source in
            deviceID != nil && MountSource(source)?.deviceID == deviceID
        }
        do {
            try hand(over: try Mounting.mount(request(grant, arguments), at: point), point)
        } catch {
            point.removeIfMade()
            throw error
        }
        if let deviceID { DeviceIndex.note(id: deviceID, path: client.location.path) }
        for notice in grant.notices { printError("apphome: note: \(notice)") }
        return (point.path, grant)
    }

    private func request(_ grant: MountGrant, _ arguments: MountArguments) -> MountRequest {
        var request = MountRequest(source: grant.source)
        request.allowsOthers = allowsOthers
        request.isReadOnly = arguments.isReadOnly || arguments.kind == .share
        if let owner { (request.userID, request.groupID) = (owner.uid, owner.gid) }
        return request
    }

    private func hand(over device: consuming Descriptor, _ point: MountPoint) throws {
        let number = (try? MountTable.current())?.entry(at: point.path)?.device ?? ""
        do {
            let request = Request.attachMount(deviceNumber: number, madeDirectory: point.wasMade)
            guard case .mounted = try client.request(request, [SharedDescriptor(device)]) else {
                throw Self.unexpected
            }
        } catch {
            try? Unmounting.clean(point.path)
            throw error
        }
    }

    private static var unexpected: CommandFailure {
        CommandFailure("the daemon gave an answer to something else")
    }
}

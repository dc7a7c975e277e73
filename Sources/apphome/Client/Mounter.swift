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
        if arguments.kind == .group {
            arguments.directory = try MountPoint.resolve(arguments.directory)
            try refuseLinks(to: arguments.directory)
        } else {
            arguments.directory = try NamedPath.mountPoint(arguments.directory)
        }
        let deviceID = client.hello.deviceID
        let point = try MountPoint.prepare(resolved: arguments.directory) { source in
            deviceID != nil && MountSource(source)?.deviceID == deviceID
        }
        arguments.madeDirectory = point.wasMade
        arguments.isPrivate = !allowsOthers && Process.effectiveUserID != 0
        let grant: MountGrant
        do {
            grant = try client.ask(.prepareMount(arguments, in: point.place.folder))
            try hand(over: try Mounting.mount(request(grant, arguments), at: point), point)
        } catch {
            point.removeIfMade()
            throw error
        }
        note(deviceID)
        for notice in grant.notices { printError("apphome: note: \(printable(notice))") }
        return (point.path, grant)
    }

    /// What is mounted for apps lies in the device's `run/`, wherever links in that lead.
    private func refuseLinks(to directory: String) throws {
        let device = try MountPoint.resolve(client.location.path)
        guard directory.isPath(in: device + "/run") else {
            throw CommandFailure("\(device)/run holds a link to \(directory): remove it")
        }
    }

    private func note(_ deviceID: String?) {
        let path = client.location.path
        guard let deviceID, let known = DeviceIndex.note(id: deviceID, path: path, owner: client.owner)
        else { return }
        let twins = printable("\(path) has the id of \(known.path)")
        printError("apphome: note: \(twins), and is not remembered: to unmount, name it with --device")
    }

    private func request(_ grant: MountGrant, _ arguments: MountArguments) -> MountRequest {
        var request = MountRequest(source: grant.source)
        request.allowsOthers = allowsOthers
        request.forbidsExecution = forbidsExecution
        request.kernelChecksAccess = grant.kernelChecksAccess
        request.isReadOnly = arguments.isReadOnly || arguments.kind == .share || arguments.from != nil
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

internal import Device
internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// Views of the whole device: what they are made of.
extension Views {
    /// Starts serving a mount that shows many containers.
    /// - Parameter fuse: the opened `/dev/fuse`, mounted already.
    func serve(
        _ layout: any CompositeLayout, _ arguments: MountArguments, fuse: SharedDescriptor,
        believesCallers: Bool
    ) throws -> ServedView {
        var options = SessionOptions(believesCallers: believesCallers)
        options.name = arguments.kind.rawValue
        options.locks = .refused
        options.transport = TransportChoice(named: arguments.transport)
        options.data = .splice
        let view = CompositeFileSystem(layout, owner: device.owner)
        // Before there is a session: one that was never started is ended by nobody.
        let forNotices = try fuse.descriptor.duplicate()
        let session = try Session(
            fileSystem: view, device: try fuse.descriptor.duplicate(), options: options)
        view.tell(session.attributeNotices(through: forNotices))
        try session.start()
        return ServedView(session)
    }

    /// A part that shows something of a container.
    /// - Parameter show: makes the file system of the tree.
    func part(
        of subject: TreeSubject, _ show: (HomeTree) throws(Errno) -> any FileSystem
    ) throws(Errno) -> CompositePart {
        do {
            // A request may come with other rights than the owner's.
            return try device.owner.acting {
                let tree = try takeAsGuest(subject)
                do {
                    let key = subject.key
                    return CompositePart(try show(tree)) { [self] in giveBackAsGuest(tree, key: key) }
                } catch {
                    giveBackAsGuest(tree, key: subject.key)
                    throw error
                }
            }
        } catch let error as Errno {
            throw error
        } catch {
            // The container is not where the catalogue has it, or is not to be opened.
            throw .ioError
        }
    }
}

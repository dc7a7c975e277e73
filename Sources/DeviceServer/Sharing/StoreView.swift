internal import FuseKit
internal import Posix
internal import SandboxFS
internal import Wire

extension ServedView {
    /// Starts serving a sharing view from a store.
    /// - Parameter fuse: the opened `/dev/fuse`, mounted already.
    convenience init(
        _ documents: any StoreDocuments, name: String, _ arguments: MountArguments, owner: Owner,
        fuse: SharedDescriptor
    ) throws {
        // Nothing is asked of files here for a caller; nor may what the store is asked begin with his rights.
        var options = SessionOptions(believesCallers: false)
        options.name = name
        options.transport = TransportChoice(named: arguments.transport)
        options.data = .splice
        let fileSystem = StoreSharingFileSystem(documents, owner: owner, isDeep: arguments.deep)
        let session = try Session(
            fileSystem: fileSystem, device: try fuse.descriptor.duplicate(), options: options)
        try session.start()
        self.init(session, reason: "the bytes come from the store")
    }
}

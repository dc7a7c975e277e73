internal import Device
internal import FuseKit
internal import Posix
internal import SandboxFS
internal import Wire

extension StoreSharing {
    /// What a mount shows of a store.
    /// - Throws: the gate's refusal; what the store answers.
    func view(
        _ arguments: MountArguments, of store: CloudAccountArguments, _ log: DaemonLog
    ) throws -> (AppReference, any FileSystem) {
        let troubles = StoreTroubles(store.url, log)
        switch arguments.kind {
        case .share:
            let app = try app(named: arguments.app, in: store)
            let documents = ReplicaDocuments(app.replica, failed: troubles.report)
            let kind: StoreViewKind = arguments.deep ? .deepSharing : .sharing
            return (app.reference, StoreFileSystem(documents, owner: device.owner, kind))
        case .files:
            let layout = StoreFilesLayout(try account(in: store), owner: device.owner, troubles)
            return (.account, CompositeFileSystem(layout, owner: device.owner))
        case .home, .bundle, .group, .groupView, .device:
            throw CommandFailure("only a sharing view or Files comes from a store")
        }
    }
}

extension ServedView {
    /// Starts serving a view of a store.
    /// - Parameter fuse: the opened `/dev/fuse`, mounted already.
    convenience init(
        ofStore fileSystem: any FileSystem, name: String, _ arguments: MountArguments, fuse: SharedDescriptor
    ) throws {
        // Nothing is asked of files here for a caller; nor may what the store is asked begin with his rights.
        var options = SessionOptions(believesCallers: false)
        options.name = name
        options.transport = TransportChoice(named: arguments.transport)
        options.data = .splice
        let session = try Session(
            fileSystem: fileSystem, device: try fuse.descriptor.duplicate(), options: options)
        try session.start()
        self.init(session, reason: "the bytes come from the store")
    }
}

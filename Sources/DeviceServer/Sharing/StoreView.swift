internal import Device
internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxFS
internal import Wire

/// A sharing view that is served from a store.
final class StoreView: ServedView {
    private let session: Session
    let dataPath = "splice"
    let dataReason: String? = "the bytes come from the store"
    /// Known once the view is ready.
    var transport: TransportReport { session.transport ?? TransportReport(kind: .classic) }

    /// Starts serving.
    /// - Parameter fuse: the opened `/dev/fuse`, mounted already.
    init(
        _ documents: any StoreDocuments, name: String, _ arguments: MountArguments, owner: Owner,
        fuse: SharedDescriptor
    ) throws {
        // Nothing is asked of files here for a caller; nor may what the store is asked begin with his rights.
        var options = SessionOptions(believesCallers: false)
        options.name = name
        options.transport = TransportChoice(named: arguments.transport)
        options.data = .splice
        let fileSystem = StoreSharingFileSystem(
            documents, owner: owner, isDeep: arguments.deep)
        session = try Session(
            fileSystem: fileSystem, device: try fuse.descriptor.duplicate(), options: options)
        try session.start()
    }

    func waitUntilReady(timeoutSeconds: Double) -> Bool {
        session.waitUntilReady(timeoutSeconds: timeoutSeconds)
    }

    func waitUntilEnded() { session.waitUntilEnded() }
}

internal import FuseKit
internal import Wire

/// The mounts of a device that this process sees, dead ones too.
struct MountsOfDevice {
    /// The newest first: one may lie in another.
    private let mounts: [(directory: String, source: MountSource)]
    private let client: DaemonClient

    init(_ client: DaemonClient) throws {
        self.client = client
        let id = client.hello.deviceID
        mounts = try MountTable.current().entries.reversed().compactMap { entry in
            guard entry.type == Mounting.fileSystemType, let source = MountSource(entry.source),
                source.deviceID == id
            else { return nil }
            return (entry.mountPoint, source)
        }
    }

    var all: [String] { mounts.map(\.directory) }

    /// What shows the app itself; of its groups and of the whole device nothing.
    /// - Throws: where the device has no such app.
    func ofApp(_ name: String) throws -> [String] {
        let bundleID = try client.ask(.info(of: name)).bundleID
        return mounts.filter {
            !$0.source.kind.isOfGroup && !$0.source.kind.isOfDevice && $0.source.bundleID == bundleID
        }.map(\.directory)
    }
}

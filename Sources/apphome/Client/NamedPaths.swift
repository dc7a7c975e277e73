internal import Posix

/// What a person names beside a device. It is opened before the device's daemon is asked anything: where that
/// is the owner's own, root becomes the owner, and reads nothing of root's any more.
struct NamedPaths {
    private var location: DeviceLocation
    private let owner: Owner

    init(beside location: DeviceLocation) throws {
        self.location = location
        owner = Process.effectiveUserID == 0 ? try location.folderOwner ?? location.maker : .current
    }

    /// - Parameter purpose: for the error: "cannot PURPOSE PATH: …".
    func open(_ path: String, _ purpose: String) throws -> OpenedFile {
        try OpenedFile(path, purpose, deviceOf: owner)
    }

    /// Makes this process the device's owner for good where that one can change what lies there.
    mutating func becomeUser(of opened: OpenedFile) throws {
        guard opened.user?.userID == owner.uid else { return }
        location = try location.becoming(owner)
    }

    /// Connects to the device's daemon, which is started if need be.
    /// - Throws: also where the device is not the one any more for whose owner the paths were opened.
    func connect(makesDevice: Bool = false) throws -> DaemonClient {
        let known = Process.effectiveUserID == 0 ? owner.uid : nil
        return try DaemonClient.connect(to: location, makesDevice: makesDevice, ownedBy: known)
    }
}

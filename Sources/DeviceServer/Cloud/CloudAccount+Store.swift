internal import CLinux
internal import CloudStore
internal import Device
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

extension CloudAccount {
    /// Where it is.
    /// - Throws: why the stored text is no URL of a store.
    var storeURL: StoreURL { get throws { try StoreURL(url) } }

    /// Its store, which is not asked anything yet.
    /// - Parameter device: with whose owner's rights it is reached where the store or the keys lie in files,
    ///   and in whose own mounts it may not lie.
    /// - Throws: signed out; keys that are missing.
    func open(for device: Device) throws -> any ObjectStore {
        switch try storeURL {
        case .none: throw CommandFailure.signedOut
        case .folder(let path):
            return DirectoryStore(path: path, rights: device.owner.rights) { [id = device.id] folder in
                isServed(folder, byDevice: id)
            }
        case .s3(let location):
            return S3Store(
                location, credentials: try credentials(for: device.owner),
                network: try NetworkSettings(environment: network))
        }
    }

    /// Makes a store that is a folder, where it is not there. Never at a later time: a folder that is missing
    /// then is a disk that is away.
    func makeFolder(for owner: Owner) throws {
        guard case .folder(let path) = try storeURL else { return }
        try owner.acting { try DirectoryStore.create(at: path) }
    }

    private func credentials(for owner: Owner) throws -> S3Credentials {
        if let keys {
            return S3Credentials(
                accessKey: keys.accessKeyID, secretKey: keys.secretAccessKey, sessionToken: keys.sessionToken)
        }
        guard let profile else {
            throw CommandFailure("the account has no keys; set it again: apphome cloud account set")
        }
        let text = try owner.acting {
            try Descriptor(chosen: profile.file, flags: O_RDONLY).readAll(limitBytes: 1 << 20)
        }
        return try AWSConfiguration.credentials(
            environment: [:], file: String(decoding: text, as: UTF8.self), profile: profile.name)
    }
}

/// Whether an open folder lies in a mount of the device's, or in one that is not seen here.
private func isServed(_ folder: borrowing Descriptor, byDevice id: String) -> Bool {
    var details = stat()
    // What has a disk of its own is no FUSE.
    guard fstat(folder.raw, &details) == 0, DeviceNumber(raw: details.st_dev).description.hasPrefix("0:")
    else { return false }
    guard let entry = try? MountTable.entry(holding: folder) else { return true }
    return entry.type == Mounting.fileSystemType && MountSource(entry.source)?.deviceID == id
}

extension CloudAccount {
    init(_ arguments: CloudAccountArguments) {
        self.init(url: arguments.url, network: arguments.network)
        if let id = arguments.accessKeyID, let secret = arguments.secretAccessKey {
            keys = CloudKeys(
                accessKeyID: id, secretAccessKey: secret, sessionToken: arguments.sessionToken)
        }
        if let name = arguments.profile, let file = arguments.credentialsFile {
            profile = CloudProfile(name: name, file: file)
        }
    }
}

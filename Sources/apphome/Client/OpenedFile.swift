internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// A file or directory that a person named, opened with their own rights for the daemon.
struct OpenedFile {
    /// Absolute, without links.
    let path: String
    let isDirectory: Bool
    let descriptor: SharedDescriptor
    /// The user who can change what the path leads to, and with whose rights root opened it; nil: nobody can.
    let user: UserRights?

    /// - Parameters:
    ///   - purpose: for the error: "cannot PURPOSE PATH: …".
    ///   - owner: whose device is worked on.
    init(_ path: String, _ purpose: String, deviceOf owner: Owner = .current) throws {
        do throws(Errno) {
            // Not blocking: a fifo in the place of a file must not hold us up.
            let opened = try NamedPath.open(path, flags: O_RDONLY | O_NONBLOCK, deviceOf: owner)
            try self.init(opened.descriptor, named: path, opened.user)
        } catch .notSupported {
            throw CommandFailure("cannot \(purpose) \(path): neither a file nor a directory")
        } catch {
            throw CommandFailure("cannot \(purpose) \(path): \(error)")
        }
    }

    /// - Throws: ENOTSUP where it is neither a file nor a directory.
    init(_ descriptor: SharedDescriptor, named path: String, _ user: UserRights?) throws(Errno) {
        let stamp = try ItemStamp(of: descriptor.raw)
        guard stamp.isDirectory || stamp.isRegular else { throw .notSupported }
        isDirectory = stamp.isDirectory
        guard let found = pathOfDescriptor(descriptor.raw) else { throw .noSuchFileOrDirectory }
        self.path = found
        self.descriptor = descriptor
        self.user = user
    }
}

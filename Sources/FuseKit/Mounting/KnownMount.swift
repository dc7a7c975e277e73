internal import CLinux
public import Posix
internal import SystemPackage

/// A mount that a client made and a daemon serves: where it is by descriptor, and whose rights end it.
///
/// Root's daemon serves ordinary users' mounts too. It ends such a one with that user's rights, so that a
/// client can have nothing unmounted or removed that it could not unmount or remove itself.
public struct KnownMount: Sendable {
    private let place: MountPlace
    /// As the mount was when the client handed it over.
    public let entry: MountEntry
    /// Of the client that mounted it: root's daemon serves ordinary users' mounts too.
    private let rights: UserRights
    private let madeDirectory: Bool

    /// Finds the mount that a client says it has made at `place`.
    ///
    /// - Parameters:
    ///   - source: what the client was told to name as the mount's source.
    ///   - client: the user of the client, as the kernel names it.
    ///   - device: the opened `/dev/fuse` that it says is that mount's.
    ///   - madeDirectory: whether the client made the directory for the mount.
    /// - Returns: nil where no such mount of that client's is seen here (it may be in another mount
    ///   namespace): it is then never unmounted by this process.
    public init?(
        at place: MountPlace, source: String, client: UnixSocket.Peer, serving device: SharedDescriptor,
        madeDirectory: Bool
    ) {
        let rights = UserRights(userID: client.userID, groupID: client.groupID)
        guard let entry = (try? rights.acting { try place.entry() }) ?? nil,
            entry.type == Mounting.fileSystemType,
            entry.source == source, client.userID == 0 || entry.userID == client.userID,
            MountTable.isServed(entry, by: device)
        else { return nil }
        self.place = place
        self.entry = entry
        self.madeDirectory = madeDirectory
        self.rights = rights
    }

    /// Unmounts it, and removes the directory that was made for it, with the rights of who mounted it.
    /// - Parameter lazy: takes it out of the tree now, and ends it when the last program lets go.
    /// - Throws: `MountError`: `busy` with the names of the programs that hold it; `notMounted` where
    ///   something else is there by now, or nothing.
    public func unmount(lazy: Bool) throws {
        guard let now = (try? rights.acting { try place.entry() }) ?? nil, now.mountID == entry.mountID,
            now.source == entry.source
        else { throw MountError.notMounted(entry.mountPoint) }
        let isOwn = Process.effectiveUserID != 0 || rights.userID == 0
        try rights.acting {
            try Unmounting.unmount(now, at: place, lazy: lazy, as: isOwn ? nil : rights)
        }
        removeDirectory()
    }

    /// Ends what is served, for whoever still has it, in whatever mount namespace: all that they ask of it
    /// fails from then on. Only while it is served.
    /// - Throws: EPERM where this process is not root, and the system shows nobody his own connections.
    public func abort() throws {
        guard let number = entry.device.parts(between: ":").last.flatMap({ UInt32($0) }) else {
            throw Errno.invalidArgument
        }
        try RequestRights.asRoot(administers: true) { () throws(Errno) in
            _ = try valueOrErrno(lx_fuse_abort(number))
        }
    }

    /// Whose mount it is.
    public var clientID: UInt32 { rights.userID }

    /// Removes the directory where it was made for the mount, which is gone, with the rights of who made it.
    public func removeDirectory() {
        if madeDirectory { try? rights.acting { try place.remove() } }
    }
}

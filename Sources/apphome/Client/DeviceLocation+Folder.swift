internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// Opening a device's folder, and making it: root is led nowhere by another user.
extension DeviceLocation {
    /// Whose the folder will be, where it is made.
    var maker: Owner {
        get throws(Errno) {
            guard Process.effectiveUserID == 0, owner.uid == 0,
                let user = try NamedPath.reach(path, deviceOf: nil).user
            else { return owner }
            return Owner(uid: user.userID, gid: user.groupID)
        }
    }

    /// - Parameter makes: whether it is made where it is missing, and with it the folders above it.
    /// - Throws: ENOENT where it is missing; also where another user's link leads to a folder not his own.
    func openFolder(makes: Bool) throws -> Descriptor {
        try Self.openFolder(path, owner: owner, makes: makes)
    }

    static func openFolder(_ path: String, owner: Owner, makes: Bool) throws -> Descriptor {
        guard Process.effectiveUserID == 0 else {
            return try open(path, in: Descriptor.workingDirectory, as: owner, makes)
        }
        var folder = Descriptor.workingDirectory
        var (rest, user) = (path, owner)
        let reach = try NamedPath.reach(path, deviceOf: nil)
        defer { withExtendedLifetime(reach) {} }
        if owner.uid == 0 {
            guard let other = reach.user else { return try open(reach, makes) }
            (folder, user) = (reach.folder.raw, Owner(uid: other.userID, gid: other.groupID))
            rest = reach.rest.isEmpty ? "." : reach.rest.joined(separator: "/")
        }
        let opened = try open(rest, in: folder, as: user, makes)
        let found = try ItemStamp(of: opened)
        guard found.uid == user.uid else {
            throw CommandFailure(
                "\(path) leads to a folder of user \(found.uid), by what user \(user.uid) can change: name a"
                    + " folder of that user's")
        }
        return opened
    }

    private static func open(
        _ path: String, in folder: Int32, as user: Owner, _ makes: Bool
    ) throws -> Descriptor {
        if makes { return try DeviceFolder.create(at: path, in: folder, owner: user) }
        return try user.calling { () throws(Errno) in
            try Descriptor(at: folder, path, flags: O_RDONLY | O_DIRECTORY)
        }
    }

    /// What only root can change: what is there, or what root makes now. In a folder like /tmp somebody else
    /// may be first with a link, which is not followed.
    private static func open(_ reach: NamedPath.Reach, _ makes: Bool) throws(Errno) -> Descriptor {
        if let item = reach.item {
            return try Descriptor(at: item.raw, ".", flags: O_RDONLY | O_DIRECTORY)
        }
        var folder = try Descriptor(at: reach.folder.raw, ".", flags: O_RDONLY | O_DIRECTORY)
        for name in reach.rest {
            let made = makes ? lx_mkdirat(folder.raw, name, 0o700) : -EEXIST
            if made != -EEXIST { try valueOrErrno(made) }
            folder = try FileTree.openDirectory(folder.raw, name)
            if made == 0 { try valueOrErrno(lx_fchmod(folder.raw, 0o700)) }
        }
        return folder
    }
}

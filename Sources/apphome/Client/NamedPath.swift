internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// How root follows a path that a person named, where other users can change what it leads over.
///
/// Root's rights lead as far as what only root can change: root's folders, and root's links in them. From the
/// first item on that somebody else can change, root has that user's rights: he may lead root only to what he
/// reaches himself.
enum NamedPath {
    /// As many as the kernel follows.
    private static let mostLinks = 40
    private static let folderFlags = lx_o_path | lx_o_directory

    /// How far root's rights lead.
    struct Reach {
        let folder: SharedDescriptor
        /// What is left of the path: the last name, what is not there yet, or what `user` can change.
        let rest: [String]
        /// Who can change what comes now; nil: root alone.
        let user: UserRights?
        /// What has the last name, open without rights to read it (O_PATH); nil where it is not looked at.
        var item: SharedDescriptor?
    }

    /// - Parameter owner: whose device is meant.
    /// - Returns: what was opened, and the user who can change what the path leads to (nil: root alone, or
    ///   this process has no more rights than the device's owner).
    static func open(
        _ path: String, flags: Int32, deviceOf owner: Owner
    ) throws(Errno) -> (descriptor: SharedDescriptor, user: UserRights?) {
        guard Process.effectiveUserID == 0, owner.uid != 0, !path.isEmpty else {
            return (SharedDescriptor(try Descriptor(path, flags: flags)), nil)
        }
        let reach = try reach(path, deviceOf: owner)
        if let user = reach.user { return try open(reach.rest, in: reach.folder, flags, as: user) }
        guard let item = reach.item else {
            let name = reach.rest.isEmpty ? "." : reach.rest.joined(separator: "/")
            return (SharedDescriptor(try Descriptor(at: reach.folder.raw, name, flags: flags)), nil)
        }
        let stamp = try ItemStamp(of: item.raw)
        if stamp.isDirectory {
            if let user = whoChanges(stamp, owner) { return try open([], in: item, flags, as: user) }
            return (SharedDescriptor(try Descriptor(at: item.raw, ".", flags: flags)), nil)
        }
        return (SharedDescriptor(Descriptor(owning: try retrying { lx_reopen(item.raw, flags) })), nil)
    }

    /// Follows a path with root's rights, and does not look at what its last name leads to unless that is a
    /// link: it may be a mount that does not answer.
    /// - Parameter owner: who may have a folder that all may write; nil: nobody knows.
    static func reach(_ path: String, deviceOf owner: Owner?) throws(Errno) -> Reach {
        let start = path.isAbsolutePath ? "/" : "."
        var folder = SharedDescriptor(try Descriptor(start, flags: folderFlags))
        var rest = path.pathParts
        var links = 0
        while true {
            let stamp = try ItemStamp(of: folder.raw)
            guard stamp.isDirectory else { throw .notDirectory }
            if let user = whoChanges(stamp, owner) { return Reach(folder: folder, rest: rest, user: user) }
            guard let name = rest.first else { return Reach(folder: folder, rest: [], user: nil) }
            var item: SharedDescriptor
            do throws(Errno) {
                item = SharedDescriptor(
                    try Descriptor(at: folder.raw, name, flags: lx_o_path | lx_o_nofollow))
            } catch .noSuchFileOrDirectory {
                return Reach(folder: folder, rest: rest, user: nil)
            }
            if let target = try target(of: item) {
                let link = try ItemStamp(of: item.raw)
                if link.uid != 0 { return Reach(folder: folder, rest: rest, user: user(link)) }
                if !isOfProc(item) {
                    links += 1
                    guard links <= mostLinks else { throw .tooManySymbolicLinkLevels }
                    if target.isAbsolutePath {
                        folder = SharedDescriptor(try Descriptor("/", flags: folderFlags))
                    }
                    rest = target.pathParts + rest.dropFirst()
                    continue
                }
                // The text of such a link is no path.
                item = SharedDescriptor(try Descriptor(at: folder.raw, name, flags: lx_o_path))
            }
            if rest.count == 1 { return Reach(folder: folder, rest: rest, user: nil, item: item) }
            folder = item
            rest.removeFirst()
        }
    }

    /// - Returns: nil where it is no link.
    private static func target(of item: SharedDescriptor) throws(Errno) -> String? {
        do throws(Errno) {
            return String(decoding: try linkTarget("", in: item.raw), as: UTF8.self)
        } catch .invalidArgument, .noSuchFileOrDirectory {
            return nil
        }
    }

    private static func open(
        _ rest: [String], in folder: SharedDescriptor, _ flags: Int32, as user: UserRights
    ) throws(Errno) -> (descriptor: SharedDescriptor, user: UserRights?) {
        let path = rest.isEmpty ? "." : rest.joined(separator: "/")
        let opened = try user.calling { () throws(Errno) in
            try Descriptor(at: folder.raw, chosen: path, flags: flags)
        }
        return (SharedDescriptor(opened), user)
    }

    /// Who else than root can put something else under the names in a folder; nil: nobody.
    private static func whoChanges(_ folder: ItemStamp, _ owner: Owner?) -> UserRights? {
        if folder.uid != 0 { return user(folder) }
        // In a folder like /tmp nobody replaces what root made.
        let isShared = folder.permissions & 0o022 != 0 && folder.permissions & 0o1000 == 0
        return isShared ? owner.map { UserRights(of: $0) } : nil
    }

    private static func user(_ item: ItemStamp) -> UserRights {
        UserRights(of: Owner(uid: item.uid, gid: item.gid))
    }

    private static func isOfProc(_ item: SharedDescriptor) -> Bool {
        lx_file_system_type(item.raw) == 0x9fa0
    }
}

extension NamedPath {
    /// A directory to mount at or to unmount, as `MountPoint.resolve` returns it: root is led there by no
    /// other user's link, whose rights would not do to mount there.
    static func mountPoint(_ path: String) throws -> String {
        let resolved = try MountPoint.resolve(path)
        guard Process.effectiveUserID == 0 else { return resolved }
        let reach = try reach(path, deviceOf: nil)
        guard let user = reach.user, let folder = pathOfDescriptor(reach.folder.raw) else { return resolved }
        guard "/" + (folder.pathParts + reach.rest).joined(separator: "/") == resolved else {
            throw CommandFailure(
                "\(path) leads over a link that user \(user.userID) can change, to \(resolved): if that is"
                    + " meant, name it so")
        }
        return resolved
    }
}

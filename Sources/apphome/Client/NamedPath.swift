internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// How a path is followed that a person named for another user's device.
///
/// Root's rights lead as far as what only root can change: root's folders, and root's links in them. From the
/// first item on that somebody else can change, root has that user's rights: he may lead root only to what he
/// reaches himself.
enum NamedPath {
    /// As many as the kernel follows.
    private static let mostLinks = 40
    private static let folderFlags = lx_o_path | lx_o_directory

    /// - Parameter owner: whose device is meant.
    /// - Returns: what was opened, and the user who can change what the path leads to (nil: root alone, or
    ///   this process has no more rights than the device's owner).
    static func open(
        _ path: String, flags: Int32, deviceOf owner: Owner
    ) throws(Errno) -> (descriptor: SharedDescriptor, user: UserRights?) {
        guard Process.effectiveUserID == 0, owner.uid != 0, !path.isEmpty else {
            return (SharedDescriptor(try Descriptor(path, flags: flags)), nil)
        }
        var folder = try Descriptor(path.isAbsolutePath ? "/" : ".", flags: folderFlags)
        var rest = path.pathParts
        var links = 0
        while true {
            if let user = try whoChanges(ItemStamp(of: folder), owner) {
                return try open(rest, in: folder, flags, as: user)
            }
            guard let name = rest.first else {
                return (SharedDescriptor(try Descriptor(at: folder.raw, ".", flags: flags)), nil)
            }
            var item = try Descriptor(at: folder.raw, name, flags: lx_o_path | lx_o_nofollow)
            let stamp = try ItemStamp(of: item)
            if stamp.isSymlink, stamp.uid != 0 {
                return try open(rest, in: folder, flags, as: user(stamp))
            }
            rest.removeFirst()
            if stamp.isSymlink, isOfProc(item) {
                // The text of such a link is no path.
                item = try Descriptor(at: folder.raw, name, flags: lx_o_path)
            } else if stamp.isSymlink {
                links += 1
                guard links <= mostLinks else { throw .tooManySymbolicLinkLevels }
                let target = String(decoding: try linkTarget("", in: item.raw), as: UTF8.self)
                if target.isAbsolutePath { folder = try Descriptor("/", flags: folderFlags) }
                rest = target.pathParts + rest
                continue
            }
            guard try ItemStamp(of: item).isDirectory else {
                guard rest.isEmpty else { throw .notDirectory }
                return (
                    SharedDescriptor(
                        Descriptor(
                            owning: try retrying { [raw = item.raw] in
                                lx_reopen(raw, flags)
                            })), nil
                )
            }
            folder = item
        }
    }

    private static func open(
        _ rest: [String], in folder: borrowing Descriptor, _ flags: Int32, as user: UserRights
    ) throws(Errno) -> (descriptor: SharedDescriptor, user: UserRights?) {
        let (raw, path) = (folder.raw, rest.isEmpty ? "." : rest.joined(separator: "/"))
        let opened = try user.calling { () throws(Errno) in
            try Descriptor(at: raw, chosen: path, flags: flags)
        }
        return (SharedDescriptor(opened), user)
    }

    /// Who else than root can put something else under the names in a folder; nil: nobody.
    private static func whoChanges(_ folder: ItemStamp, _ owner: Owner) -> UserRights? {
        if folder.uid != 0 { return user(folder) }
        // In a folder like /tmp nobody replaces what root made.
        let isShared = folder.permissions & 0o022 != 0 && folder.permissions & 0o1000 == 0
        return isShared ? UserRights(of: owner) : nil
    }

    private static func user(_ item: ItemStamp) -> UserRights {
        UserRights(of: Owner(uid: item.uid, gid: item.gid))
    }

    private static func isOfProc(_ item: borrowing Descriptor) -> Bool {
        lx_file_system_type(item.raw) == 0x9fa0
    }
}

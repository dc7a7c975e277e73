internal import CLinux
internal import Glibc
public import Posix
public import SandboxRules
public import SystemPackage

/// The folder that is a device, as far as commands make it; the rest of it is the daemon's.
public enum DeviceFolder {
    /// Makes the folder at `path` (mode 0700), and the folders above it that are missing, where it is not
    /// there.
    ///
    /// - Parameters:
    ///   - path: as the person named it: links in it are followed, with the rights of `owner`.
    ///   - directory: where it begins.
    /// - Returns: the folder, open for reading.
    public static func create(
        at path: String, in directory: Int32 = Descriptor.workingDirectory, owner: Owner = .current
    ) throws(CommandFailure) -> Descriptor {
        do throws(Errno) {
            return try owner.calling { () throws(Errno) -> Descriptor in
                try makeParents(path, in: directory)
                let made = lx_mkdirat(directory, path, 0o700)
                if made != -EEXIST { try valueOrErrno(made) }
                let folder = try Descriptor(at: directory, path, flags: O_RDONLY | lx_o_directory)
                // The umask may have taken the owner's own bits.
                if made == 0 { try valueOrErrno(lx_fchmod(folder.raw, 0o700)) }
                return folder
            }
        } catch {
            throw CommandFailure("cannot make the device \(path): \(error); \(remedy(for: error))")
        }
    }

    /// Whose device this folder is: its user, with that user's group.
    public static func owner(of folder: borrowing Descriptor) throws(Errno) -> Owner {
        var details = stat()
        guard fstat(folder.raw, &details) == 0 else { throw Errno(rawValue: errno) }
        return owner(details.st_uid, ofItemInGroup: details.st_gid)
    }

    /// The user whom an item belongs to, with the group that the user database has for him.
    ///
    /// An item that root made, or that lies in a set-group-ID folder, has another's group. That says
    /// something only of a user whom the database does not know, and root's never.
    public static func owner(_ uid: UInt32, ofItemInGroup gid: UInt32) -> Owner {
        if uid == 0 { return Owner(uid: 0, gid: gid) }
        let groups = [Process.user(uid)?.groupID ?? 0, gid, uid]
        return Owner(uid: uid, gid: groups.first { $0 != 0 } ?? uid)
    }

    private static func remedy(for errno: Errno) -> String {
        switch errno {
        case .noSpace, Errno(rawValue: EDQUOT): "free some space where the device is, and try again"
        case .permissionDenied, .notPermitted: "look at the owner and mode of the files"
        case .noSuchFileOrDirectory, .notDirectory: "look at the path and the folders above it"
        default: "try again, and look at the disk if it stays so"
        }
    }

    private static func makeParents(_ path: String, in directory: Int32) throws(Errno) {
        let bytes = path.utf8
        for slash in bytes.indices where bytes[slash] == UInt8(ascii: "/") && slash != bytes.startIndex {
            let made = lx_mkdirat(directory, String(path[..<slash]), 0o700)
            guard made == 0 || made == -EEXIST || made == -EACCES || made == -EROFS else {
                throw Errno(rawValue: -made)
            }
        }
    }

    /// Makes an app's folder for what toolchains keep, where it is missing, and opens it to its owner again:
    /// the app may have closed it.
    /// - Parameter device: the device's folder, as `create` opens it.
    /// - Returns: its path in the device's folder.
    public static func makeToolHome(
        of bundleID: BundleIdentifier, in device: borrowing Descriptor
    ) throws(Errno) -> String {
        let folders = try FileTree.ensureDirectory(device.raw, AppEnvironment.toolHomes)
        let made = lx_mkdirat(folders.raw, bundleID.value, 0o700)
        if made != -EEXIST { try valueOrErrno(made) }
        let folder = Descriptor(
            owning: try retrying {
                lx_openat_beneath(folders.raw, bundleID.value, lx_o_path | lx_o_directory, 0)
            })
        try valueOrErrno(lx_chmodat(folder.raw, "", 0o755))
        return AppEnvironment.toolHome(of: bundleID.value)
    }
}

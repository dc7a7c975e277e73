internal import CLinux
internal import Glibc
public import Posix
public import SandboxRules
public import SystemPackage

/// The folder that is a device.
public enum DeviceFolder {
    /// Makes the folder at `path` (mode 0700), and the folders above it that are missing, where it is not
    /// there.
    ///
    /// - Parameter path: as the person named it: links in it are followed, with the rights of `owner`.
    /// - Returns: the folder, open for reading.
    public static func create(at path: String, owner: Owner = .current) throws(DeviceError) -> Descriptor {
        try DeviceError.translating("make the device \(path)") {
            try owner.acting {
                try makeParents(path)
                let made = lx_mkdirat(Descriptor.workingDirectory, path, 0o700)
                if made != -EEXIST { try valueOrErrno(made) }
                let folder = try Descriptor(path, flags: O_RDONLY | lx_o_directory)
                // The umask may have taken the owner's own bits.
                if made == 0 { try valueOrErrno(lx_fchmod(folder.raw, 0o700)) }
                return folder
            }
        }
    }

    private static func makeParents(_ path: String) throws(Errno) {
        for slash in path.indices where path[slash] == "/" && slash != path.startIndex {
            let made = lx_mkdirat(Descriptor.workingDirectory, String(path[..<slash]), 0o700)
            guard made == 0 || made == -EEXIST || made == -EACCES || made == -EROFS else {
                throw Errno(rawValue: -made)
            }
        }
    }

    /// Makes an app's folder for what toolchains keep, where it is missing.
    /// - Parameter device: the device's folder, as `create` opens it.
    /// - Returns: its path in the device's folder.
    public static func makeToolHome(
        of bundleID: BundleIdentifier, in device: borrowing Descriptor
    ) throws(Errno) -> String {
        let path = Layout.toolHome(of: bundleID.value)
        _ = try FileTree.ensureDirectory(device.raw, path)
        return path
    }

    /// Refuses a folder that is no device and holds other things; makes an empty one a device's layout.
    static func prepare(_ folder: Int32, owner: Owner) throws {
        let stamp = try ItemStamp(of: folder)
        guard stamp.uid == owner.uid else {
            throw DeviceError(
                .notADevice,
                "the device belongs to user \(stamp.uid), not \(owner.uid): use that user's rights")
        }
        if try !FileTree.exists(folder, Layout.catalogue) {
            let names = try DirectoryEntries.names(in: folder).map {
                String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            }
            let ours = ["Containers", Layout.containerStaging, Layout.staging, Layout.run]
            if let other = names.first(where: { !ours.contains($0) && !$0.hasPrefix(Layout.catalogue) }) {
                throw DeviceError(
                    .notADevice,
                    "the folder is no device, and holds \(other): give an empty or a new one with --device")
            }
        }
        if stamp.mode & 0o077 != 0 { try valueOrErrno(lx_fchmod(folder, 0o700)) }
        let folders = [Layout.bundles, Layout.data, Layout.groups, Layout.containerStaging, Layout.staging]
        for path in folders {
            _ = try FileTree.ensureDirectory(folder, path)
        }
    }
}

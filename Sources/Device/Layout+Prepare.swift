internal import CLinux
internal import Posix
internal import SandboxRules

extension Layout {
    /// Refuses a folder that is no device and holds other things; makes an empty one a device's layout.
    static func prepare(_ folder: Int32, owner: Owner) throws {
        let stamp = try ItemStamp(of: folder)
        guard stamp.uid == owner.uid else {
            throw DeviceError(
                .notADevice,
                "the device belongs to user \(stamp.uid), not \(owner.uid): use that user's rights")
        }
        if try !FileTree.exists(folder, catalogue) {
            let names = try DirectoryEntries.names(in: folder).map(\.nameText)
            let ours = ["Containers", containerStaging, staging, run, DeviceMark.clone]
            let isOurs = { (name: String) in
                ours.contains(name) || name.hasPrefix(catalogue) || name.hasPrefix(removedPrefix)
            }
            if let other = names.first(where: { !isOurs($0) }) {
                throw DeviceError(
                    .notADevice,
                    "the folder is no device, and holds \(other): give an empty or a new one with --device")
            }
        }
        if stamp.mode & 0o077 != 0 { try valueOrErrno(lx_fchmod(folder, 0o700)) }
        let folders = [bundles, data, groups, containerStaging, staging]
        for path in folders {
            _ = try FileTree.ensureDirectory(folder, path)
        }
    }
}

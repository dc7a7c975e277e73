public import SystemPackage

/// Why something is not mounted or unmounted; the description is one line: what, why, what to do.
public enum MountError: Error, Equatable {
    case mountPointMissing(String)
    case notADirectory(String)
    case notEmpty(String)
    case alreadyMounted(String, by: String)
    case deadMount(String, by: String)
    case noFuseDevice
    case fuseDeviceClosed
    case noFusermount
    case notPermitted(String)
    case userAllowOtherMissing
    case notMounted(String)
    case ofAnotherUser(String)
    case busy(String, holders: [String])
    case failed(String, String, Errno)
    case helperFailed(String)
}

extension MountError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .mountPointMissing(let path):
            "no mount point \(path): its parent folder does not exist; make it with: mkdir -p \(path)"
        case .notADirectory(let path):
            "\(path) is not a directory; a mount needs an empty one"
        case .notEmpty(let path):
            "\(path) is not empty; a mount would hide what is in it, so name an empty or new directory"
        case .alreadyMounted(let path, let by):
            "\(path) is a mount point already (\(by)); unmount that first or name another directory"
        case .deadMount(let path, let by):
            "\(path) is a dead mount (\(by)): its server has ended; clean it with: \(cleaner(path, by: by))"
        case .noFuseDevice:
            "no /dev/fuse: the kernel's FUSE is not there; load it with: modprobe fuse"
                + " (in a container: run it with --device /dev/fuse --cap-add SYS_ADMIN)"
        case .fuseDeviceClosed:
            "/dev/fuse is closed to ordinary users here; root can open it with: chmod 666 /dev/fuse"
        case .noFusermount:
            "no fusermount3, which mounts for ordinary users; install it with: apt install fuse3"
        case .notPermitted(let path):
            "not permitted to mount at \(path): root needs CAP_SYS_ADMIN (in a container:"
                + " --cap-add SYS_ADMIN --device /dev/fuse), an ordinary user a directory of their own"
        case .userAllowOtherMissing:
            "--allow-other is not allowed for ordinary users here;"
                + " root can allow it with the line user_allow_other in /etc/fuse.conf"
        case .notMounted(let path):
            "\(path) is not a mount of AppHome; see what is mounted with: apphome list --all"
        case .ofAnotherUser(let path):
            "\(path) was mounted by another user; unmount it as that user, or as root"
        case .busy(let path, let holders):
            holders.isEmpty
                ? "\(path) is busy: a program of another user holds it;"
                    + " end that, or use: apphome unmount --lazy \(path)"
                : "\(path) is busy: held by \(holders.joined(separator: ", "));"
                    + " end that, or use: apphome unmount --lazy \(path)"
        case .failed(let action, let path, let errno):
            "cannot \(action) \(path): \(errno)"
        case .helperFailed(let text):
            "fusermount3 refused: \(text)"
        }
    }

    /// `apphome unmount` cleans what carries our name, whichever device it was of.
    private func cleaner(_ path: String, by source: String) -> String {
        source.hasPrefix("apphome:") ? "apphome unmount \(path)" : "fusermount3 -u -z \(path)"
    }
}

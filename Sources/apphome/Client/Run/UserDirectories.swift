internal import CLinux
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// The folder with `user-dirs.dirs` for programs that run outside of the sandbox.
struct UserDirectories {
    /// Where the device is.
    let device: String
    let bundleID: String

    /// - Returns: the folder. It is reached from the device's folder without following links.
    func write(_ content: String) throws -> String {
        let path = "run/environment/" + bundleID
        do {
            let device = try Descriptor(device, flags: O_DIRECTORY)
            try replace(in: try FileTree.ensureDirectory(device.raw, path), Array(content.utf8))
        } catch {
            throw CommandFailure("cannot write \(device)/\(path): \(error)")
        }
        return device + "/" + path
    }

    private func replace(in folder: borrowing Descriptor, _ bytes: [UInt8]) throws(Errno) {
        let name = AppEnvironment.userDirectoriesName
        // Two commands may do this at once.
        let aside = name + ".\(getpid())"
        _ = lx_unlinkat(folder.raw, aside, 0)
        try FileTree.create(folder.raw, aside, bytes, mode: 0o600)
        try valueOrErrno(lx_renameat2(folder.raw, aside, folder.raw, name, 0))
    }
}

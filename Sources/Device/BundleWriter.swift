internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// Makes the files of a bundle in staging, within limits, wherever they come from.
///
/// Directories get their packed mode and time only in `finish`: one packed read-only could not be filled.
final class BundleWriter {
    let root: Descriptor
    let limits: InstallLimits
    private let report: (_ bytesDone: Int64) throws(Errno) -> Void
    private var entries = 0
    private(set) var bytes: Int64 = 0
    private var links: [String] = []
    // Keys compare as a device compares names: NFC and NFD of one name are equal.
    private var spellings: [String: [UInt8]] = [:]
    private var directories: [(path: String, mode: UInt32, modified: timespec)] = []

    /// - Parameter root: the empty directory `Name.app` in staging.
    init(root: consuming Descriptor, limits: InstallLimits, report: @escaping (Int64) throws(Errno) -> Void) {
        self.root = root
        self.limits = limits
        self.report = report
    }

    /// Counts one item, which is to lie at `path` in the bundle, against the limits.
    func admit(_ path: String) throws {
        entries += 1
        guard entries <= limits.entries else {
            throw DeviceError(.notAnApp, "the bundle holds more than \(limits.entries) items: that is no app")
        }
        guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < limits.depth else {
            throw DeviceError(
                .notAnApp, "\(path.suffix(80)) in the bundle lies deeper than \(limits.depth) directories")
        }
        guard path.utf8.contains(where: { $0 >= 0x80 }) else { return }
        let spelling = Array(path.utf8)
        guard spellings.updateValue(spelling, forKey: path) ?? spelling == spelling else {
            throw DeviceError(
                .notAnApp,
                "\(path) stands in the bundle in two spellings, which are one name on a device; rename one")
        }
    }

    /// Makes a directory whose parent is there; its mode and time are set by `finish`.
    func makeDirectory(_ path: String, mode: UInt32, modified: timespec) throws {
        let place = try NamedItem(path, in: root.raw)
        try valueOrErrno(lx_mkdirat(place.directory.raw, place.name, 0o700))
        directories.append((path, mode, modified))
    }

    /// Makes a link that holds `target`; whether it stays in the bundle is looked at in `finish`.
    func makeLink(_ path: String, target: [UInt8]) throws {
        guard let text = String(validating: target, as: UTF8.self), !text.isEmpty, !target.contains(0) else {
            throw DeviceError(.notAnApp, "the link \(path) in the bundle points to a name that is not UTF-8")
        }
        let place = try NamedItem(path, in: root.raw)
        try valueOrErrno(lx_symlinkat(text, place.directory.raw, place.name))
        links.append(path)
    }

    /// Makes an empty file for writing.
    func makeFile(_ path: String) throws -> Descriptor {
        let place = try NamedItem(path, in: root.raw)
        return try Descriptor(
            at: place.directory.raw, place.name, flags: O_RDWR | O_CREAT | O_EXCL | lx_o_nofollow, mode: 0o600
        )
    }

    /// Sets the mode and time that the file was packed with.
    ///
    /// The owner can always read: the daemon may be that owner, and no more. Neither suid nor sgid is kept.
    func seal(_ file: borrowing Descriptor, mode: UInt32, modified: timespec) throws(Errno) {
        try valueOrErrno(lx_fchmod(file.raw, mode & 0o777 | 0o400))
        try valueOrErrno(lx_futimens(file.raw, [modified, modified]))
    }

    func wrote(_ count: Int64) throws(Errno) {
        bytes += count
        try report(bytes)
    }

    /// Refuses a file that cannot fit, before its bytes are copied.
    func checkRoom(_ path: String, sizeBytes: Int64) throws {
        guard sizeBytes > 1 << 20 else { return }
        let free = UInt64(clamping: try freeBytes(on: root.raw))
        let usable = free - min(free, limits.reserveBytes)
        guard UInt64(sizeBytes) <= usable else {
            throw DeviceError(
                .system,
                "\(path) in the bundle needs \(sizeBytes) bytes, \(usable) can be had; "
                    + "free some and try again"
            )
        }
    }

    /// Checks the links, now that all is there, then sets modes and times of directories, the deepest first.
    func finish() throws {
        for link in links { try checkLink(link) }
        for directory in directories.reversed() {
            let opened = try FileTree.openDirectory(root.raw, directory.path)
            try valueOrErrno(lx_fchmod(opened.raw, directory.mode & 0o777 | 0o500))
            try valueOrErrno(lx_futimens(opened.raw, [directory.modified, directory.modified]))
        }
    }

    /// Lets the kernel follow the link from the bundle's root, where it may not leave.
    ///
    /// Comparing texts is not enough: `a -> ..` in a directory and `b -> dir/a/..` stay inside when each is
    /// read alone. A link to nothing, or in a circle, leads nowhere, and in a sealed bundle that stays so.
    private func checkLink(_ path: String) throws {
        do {
            // EAGAIN: something on this machine was renamed meanwhile, and ".." could not be judged.
            for _ in 0..<1000 {
                let result = lx_openat_following_beneath(root.raw, path, lx_o_path)
                if result == -EAGAIN { continue }
                _ = Descriptor(owning: try valueOrErrno(result))
                return
            }
            throw Errno.resourceTemporarilyUnavailable
        } catch Errno.noSuchFileOrDirectory, Errno.tooManySymbolicLinkLevels, Errno.notDirectory {
            return
        } catch Errno.improperLink {
            throw DeviceError(
                .notAnApp, "the link \(path) points out of the bundle: a device refuses that; remove it")
        }
    }
}

internal import CLinux
package import Posix
internal import SystemPackage

/// A backup's folder that is read, and whether that leaves a trace: reading a file moves its access time.
package struct BackupSource: Sendable {
    package let directory: SharedDescriptor
    /// For open(2) of what lies in it, beside those that it always takes.
    private let flags: Int32
    /// Whether a file is read also where its access time moves then.
    private let isLenient: Bool
    /// Whether it is a mount of this process alone on which no time moves: also the kernel may then read its
    /// files for somebody else.
    package let isOwnMount: Bool

    /// Reads as anybody does.
    package init(_ directory: SharedDescriptor) { self.init(directory, flags: 0) }

    private init(
        _ directory: SharedDescriptor, flags: Int32, isOwnMount: Bool = false, isLenient: Bool = false
    ) {
        self.directory = directory
        self.flags = flags
        self.isLenient = isLenient
        self.isOwnMount = isOwnMount
    }

    /// Reads so that no access time moves: through a mount of its own, or else (that is root's right) as the
    /// files' owner may.
    /// - Throws: `refused` where neither is possible.
    package static func withoutTrace(_ directory: SharedDescriptor) throws(BackupError) -> BackupSource {
        try BackupError.translating("open the backup") {
            let own = lx_mount_for_reading(directory.raw)
            if own >= 0 {
                return BackupSource(
                    SharedDescriptor(Descriptor(owning: own)), flags: 0, isOwnMount: true)
            }
            if try valueOrErrno(lx_moves_no_access_time(directory.raw)) == 1 {
                return BackupSource(directory)
            }
            let opened = lx_reopen(directory.raw, lx_o_directory | lx_o_noatime)
            guard opened >= 0 else {
                throw BackupError(
                    .refused,
                    "reading this backup would move its access times: do it as its owner or as root, or give "
                        + "--allow-atime")
            }
            return BackupSource(
                SharedDescriptor(Descriptor(owning: opened)), flags: lx_o_noatime, isOwnMount: false)
        }
    }

    /// Reads so that as few access times move as this user can have.
    package static func withLittleTrace(_ directory: SharedDescriptor) -> BackupSource {
        guard let source = try? withoutTrace(directory) else { return BackupSource(directory) }
        return BackupSource(
            source.directory, flags: source.flags, isOwnMount: source.isOwnMount, isLenient: true)
    }

    /// - Returns: nil where there is no regular file at `path`.
    func openFile(_ path: String) throws(Errno) -> Descriptor? {
        do throws(Errno) { return try FileTree.openFile(directory.raw, path, flags: flags) } catch {
            // Of another owner, and only he may read without a trace.
            guard isLenient, flags != 0, error == .notPermitted else { throw error }
            return try FileTree.openFile(directory.raw, path)
        }
    }

    /// The names in a directory.
    func entries(of path: String) throws(Errno) -> [String] {
        let opened = Descriptor(
            owning: try retrying {
                lx_openat_beneath(directory.raw, path, lx_o_directory | lx_o_nofollow | flags, 0)
            })
        return try DirectoryEntries.names(in: opened).map(\.nameText)
    }

    /// The whole of a regular file, as `Files.read`.
    func read(_ path: String, limitBytes: Int) throws -> [UInt8]? {
        try Files.read(try openFile(path), of: directory.raw, path, limitBytes: limitBytes)
    }
}

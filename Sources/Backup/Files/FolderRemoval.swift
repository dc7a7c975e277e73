internal import CLinux
internal import Posix
internal import SystemPackage

/// Removes a backup's folder: blobs in folders, which is not deep.
enum FolderRemoval {
    // A backup is two levels deep; what somebody else put there may be a little deeper.
    private static let depthLimit = 64

    /// Removes `name` in `directory` with all below it; one that is not there is no error.
    static func remove(_ directory: Int32, _ name: String) throws(Errno) {
        try remove(directory, name.utf8CString.map { $0 }, depth: 0)
    }

    private static func remove(_ directory: Int32, _ name: [CChar], depth: Int) throws(Errno) {
        do throws(Errno) {
            try valueOrErrno(lx_unlinkat(directory, name, 0))
            return
        } catch {
            if error == .noSuchFileOrDirectory { return }
            if error != .isDirectory { throw error }
        }
        guard depth < depthLimit else { throw .tooManySymbolicLinkLevels }
        let opened = Descriptor(
            owning: try retrying { lx_openat_beneath(directory, name, lx_o_directory, 0) })
        let fd = opened.raw
        // Names are taken a piece at a time; getdents(2) allows for removing between the pieces.
        var stream = DirectoryStream(opened)
        while let bytes = try stream.next() {
            try remove(fd, bytes.map(CChar.init(bitPattern:)) + [0], depth: depth + 1)
        }
        try valueOrErrno(lx_unlinkat(directory, name, lx_at_removedir))
    }
}

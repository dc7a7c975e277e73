internal import CLinux
internal import HomeTree
internal import Posix
internal import SystemPackage

/// Copies an item of Documents to a directory outside, which the client has opened.
///
/// The daemon may have more rights than the client: everything outside is done with the client's own. Links
/// are copied as links and never followed, on either side.
struct CopyOut {
    let tree: HomeTree
    /// Runs a closure with the client's rights.
    let asClient: ClientRights
    let report: (Int64) -> Void

    /// - Throws: `fileExists` where something that cannot be replaced has the new name; what a call answers.
    func copy(_ name: FileName, from directory: InodeNumber, to target: Int32, as newName: FileName) throws {
        try copy(name, from: directory, to: target, as: newName, depth: 0)
    }

    private func copy(
        _ name: FileName, from directory: InodeNumber, to target: Int32, as newName: FileName, depth: Int
    ) throws {
        try tree.withItem(name, in: directory) { found in
            switch ItemType(found.status.st_mode) {
            case .file: try copyFile(found, to: target, newName)
            case .directory: try copyDirectory(found, to: target, newName, depth)
            case .link: try copyLink(found, to: target, newName)
            // A socket or fifo means nothing outside.
            case .other: return
            }
        }
    }

    private func copyFile(_ found: Found, to target: Int32, _ name: FileName) throws {
        let handle = try tree.open(found.inode, flags: 0)
        defer { tree.close(handle, of: found.inode) }
        // Written aside and renamed, so that a file of that name is replaced whole or not at all.
        let aside = ".apphome-\(StagedName.next())"
        let mode = found.status.st_mode & 0o777
        let file = try asClient.run { () throws(Errno) in
            Descriptor(owning: try retrying { lx_openat(target, aside, lx_o_creat | lx_o_excl | 1, 0o600) })
        }
        do throws(Errno) {
            try FileCopy.copy(from: handle.descriptor, to: file.raw, size: Int64(found.status.st_size), report)
            var times = [found.status.st_atim, found.status.st_mtim]
            try valueOrErrno(lx_futimens(file.raw, &times))
            try asClient.run { () throws(Errno) in
                _ = try valueOrErrno(lx_fchmod(file.raw, mode))
                _ = try valueOrErrno(lx_renameat2(target, aside, target, name.cString, 0))
            }
        } catch {
            asClient.run { _ = lx_unlinkat(target, aside, 0) }
            throw error
        }
    }

    private func copyDirectory(_ found: Found, to target: Int32, _ name: FileName, _ depth: Int) throws {
        guard depth < FolderDepth.limit else { throw Errno.fileNameTooLong }
        let copy = try asClient.run { () throws(Errno) in
            try valueOrErrno(lx_mkdirat(target, name.cString, 0o700))
            let flags = lx_o_directory | lx_o_nofollow
            return Descriptor(owning: try valueOrErrno(lx_openat(target, name.cString, flags, 0)))
        }
        for child in try tree.names(in: found.inode) {
            try child.withFileName {
                try self.copy($0, from: found.inode, to: copy.raw, as: $0, depth: depth + 1)
            }
        }
        var times = [found.status.st_atim, found.status.st_mtim]
        try valueOrErrno(lx_futimens(copy.raw, &times))
        let mode = found.status.st_mode & 0o777
        try asClient.run { () throws(Errno) in _ = try valueOrErrno(lx_fchmod(copy.raw, mode)) }
    }

    private func copyLink(_ found: Found, to target: Int32, _ name: FileName) throws {
        var text = [CChar](repeating: 0, count: 4097)
        _ = try text.withUnsafeMutableBytes { buffer throws(Errno) in
            try tree.readLink(found.inode, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<4096]))
        }
        try asClient.run { () throws(Errno) in _ = try valueOrErrno(lx_symlinkat(text, target, name.cString)) }
    }
}

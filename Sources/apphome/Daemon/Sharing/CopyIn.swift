internal import CLinux
internal import HomeTree
internal import Posix
internal import SystemPackage

/// Copies a file or directory that the client has opened into Documents, or into its Inbox.
///
/// It is prepared aside and takes its name in one step: an app that has the old file open keeps that.
struct CopyIn {
    let tree: HomeTree
    let asClient: ClientRights
    /// Whom the new items belong to.
    let owner: FileOwner
    let report: (Int64) -> Void

    /// - Returns: the name it got.
    func copy(_ source: Int32, as name: String, toInbox: Bool, in documents: InodeNumber) throws -> String {
        let staging = try Staging(tree: tree).open()
        defer { tree.forget(staging) }
        let aside = StagedName.next()
        do {
            try aside.withFileName { try self.copy(source, to: staging, as: $0, depth: 0) }
            guard toInbox else {
                try place(aside, from: staging, in: documents, as: name)
                return name
            }
            let inbox = try makeInbox(in: documents)
            defer { tree.forget(inbox) }
            return try placeUnderFreeName(aside, from: staging, in: inbox, name)
        } catch {
            try? aside.withFileName { (aside) throws(Errno) in try TreeRemover(tree: tree).remove(aside, in: staging) }
            throw error
        }
    }

    private func place(_ aside: String, from staging: InodeNumber, in documents: InodeNumber, as name: String) throws {
        try name.withFileName { name in
            try aside.withFileName { aside in
                let isFolder = try tree.withItem(aside, in: staging) { ItemType($0.status.st_mode) == .directory }
                let old = try? tree.withItem(name, in: documents) { ItemType($0.status.st_mode) }
                if let old, old == .directory || isFolder {
                    throw CommandFailure(
                        "\(name.text) is there already and is not replaced by a folder, nor a folder by a file;"
                            + " remove it first: apphome share rm")
                }
                try tree.rename(
                    aside, in: staging, to: name, in: documents, flags: isFolder ? lx_rename_noreplace : 0)
            }
        }
    }

    private func makeInbox(in documents: InodeNumber) throws(Errno) -> InodeNumber {
        let (tree, owner) = (tree, owner)
        return try "Inbox".withFileName { (name) throws(Errno) in
            do throws(Errno) {
                return try tree.makeDirectory(name, in: documents, mode: 0o755, owner: owner).inode
            } catch {
                guard error == .fileExists else { throw error }
                return try tree.lookup(name, in: documents).inode
            }
        }
    }

    /// `letter.txt`, `letter-1.txt`, `letter-2.txt`…, as iOS does.
    private func placeUnderFreeName(
        _ aside: String, from staging: InodeNumber, in inbox: InodeNumber, _ name: String
    ) throws -> String {
        let path = FilePath(name)
        let (stem, suffix) = (path.stem ?? name, path.extension.map { "." + $0 } ?? "")
        for number in 0..<10_000 {
            let candidate = number == 0 ? name : "\(stem)-\(number)\(suffix)"
            let isPlaced = try candidate.withFileName { (candidate) throws(Errno) in
                try aside.withFileName { (aside) throws(Errno) in
                    do throws(Errno) {
                        try tree.rename(aside, in: staging, to: candidate, in: inbox, flags: lx_rename_noreplace)
                        return true
                    } catch {
                        guard error == .fileExists else { throw error }
                        return false
                    }
                }
            }
            if isPlaced { return candidate }
        }
        throw CommandFailure("Documents/Inbox holds too many items named \(name); remove some")
    }

    private func copy(_ source: Int32, to directory: InodeNumber, as name: FileName, depth: Int) throws {
        let status = try FileStatus(source)
        switch ItemType(status.mode) {
        case .file: try copyFile(source, status, to: directory, name)
        case .directory: try copyDirectory(source, status, to: directory, name, depth)
        default: throw CommandFailure("\(name.text) is neither a file nor a folder; leave it out")
        }
    }

    private func copyFile(_ source: Int32, _ status: FileStatus, to directory: InodeNumber, _ name: FileName) throws {
        // Whoever could write it here could write it there.
        let (found, handle) = try tree.create(
            name, in: directory, mode: status.mode & 0o777, flags: lx_o_creat | lx_o_excl | 2, owner: owner)
        defer {
            tree.close(handle, of: found.inode)
            tree.forget(found.inode)
        }
        try FileCopy.copy(from: source, to: handle.descriptor, size: status.size, report)
        var times = [status.accessTime, status.modificationTime]
        try valueOrErrno(lx_futimens(handle.descriptor, &times))
        try tree.sync(handle, dataOnly: false)
    }

    private func copyDirectory(
        _ source: Int32, _ status: FileStatus, to directory: InodeNumber, _ name: FileName, _ depth: Int
    ) throws {
        guard depth < FolderDepth.limit else { throw Errno.fileNameTooLong }
        let made = try tree.makeDirectory(name, in: directory, mode: status.mode & 0o777 | 0o700, owner: owner)
        defer { tree.forget(made.inode) }
        for child in try asClient.run({ () throws(Errno) in try DirectoryNames.list(source) }) {
            try child.withFileName { try copyChild(source, $0, to: made.inode, depth + 1) }
        }
    }

    private func copyChild(_ source: Int32, _ name: FileName, to directory: InodeNumber, _ depth: Int) throws {
        let flags = lx_o_nofollow | lx_o_nonblock
        let raw = asClient.run { lx_openat(source, name.cString, flags, 0) }
        if raw == -Errno.tooManySymbolicLinkLevels.rawValue { return try copyLink(source, name, to: directory) }
        let child = Descriptor(owning: try valueOrErrno(raw))
        try copy(child.raw, to: directory, as: name, depth: depth)
    }

    private func copyLink(_ source: Int32, _ name: FileName, to directory: InodeNumber) throws {
        var target = [CChar](repeating: 0, count: 4097)
        try valueOrErrno(asClient.run { lx_readlinkat(source, name.cString, &target, 4096) })
        tree.forget(try tree.makeSymlink(to: target, name, in: directory, owner: owner).inode)
    }
}

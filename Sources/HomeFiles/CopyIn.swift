internal import CLinux
public import HomeTree
public import Posix
public import SystemPackage

extension HomeTree {
    /// Puts a copy of a directory, with all below it, under a name: complete or not at all. Links are copied
    /// as links and never followed; sockets, fifos and devices are left out. Durable when it returns.
    ///
    /// - Parameters:
    ///   - source: a directory, opened by whoever asked.
    ///   - replaces: whether it takes the place of what has the name; who has that open keeps it.
    ///   - reader: with whose rights what is in the directory is opened.
    ///   - owner: who gets what is made.
    /// - Returns: how many items were left out.
    /// - Throws: EEXIST; ENAMETOOLONG for a tree over 500 levels deep; what the names' policy, reading and
    ///   writing answer.
    public func placeDirectory(
        _ source: Int32, as name: FileName, in directory: InodeNumber, replaces: Bool, reader: Owner,
        owner: Owner, progress: CopyProgress = { _ in }
    ) throws(Errno) -> Int {
        try check(name)
        try refuseGrowth()
        var copy = CopyIn(tree: self, reader: reader, owner: owner)
        try withStaged { (staging, temporary) throws(Errno) in
            try copy.directory(source, as: temporary, in: staging, levels: CopyIn.deepest, progress)
            // One call for all files: what is complete is on the disk before it gets its name.
            try openDirectory(staging).syncFileSystem()
            try move(temporary, in: staging, to: name, in: directory, replaces: replaces)
        }
        try openDirectory(directory).sync()
        return copy.leftOut
    }
}

/// Copies what lies outside into a home's staging directory, by the calls of its tree.
private struct CopyIn {
    let tree: HomeTree
    let reader: Owner
    let owner: Owner
    var leftOut = 0
    /// The copy itself, which may lie below what is copied.
    var copy: FileIdentity?

    /// One descriptor and some stack for each level: deeper trees are refused.
    static let deepest = 500

    mutating func directory(
        _ source: Int32, as name: FileName, in parent: InodeNumber, levels: Int, _ progress: CopyProgress
    ) throws(Errno) {
        if levels == 0 { throw .fileNameTooLong }
        let made = try tree.makeDirectory(name, in: parent, mode: 0o755, owner: owner).inode
        defer { tree.forget(made) }
        if copy == nil { copy = try tree.openDirectory(made).identity }
        for child in try DirectoryEntries.names(in: source) {
            // Also where no bytes are copied somebody may want it no more.
            try progress(0)
            let stamp = try reader.calling { () throws(Errno) in try ItemStamp(source, child) }
            if stamp.identity == copy { continue }
            switch stamp.mode & FileMode.typeMask {
            case FileMode.directory:
                let opened = try open(child, in: source, lx_o_directory)
                try child.withFileName { (name) throws(Errno) in
                    try directory(opened.raw, as: name, in: made, levels: levels - 1, progress)
                }
            case FileMode.regular: try file(child, in: source, to: made, progress)
            case FileMode.symlink: try link(child, in: source, to: made)
            default: leftOut += 1
            }
        }
    }

    private func open(_ name: [CChar], in source: Int32, _ flags: Int32) throws(Errno) -> Descriptor {
        // Not blocking: it may have become a fifo since.
        let flags = flags | lx_o_nofollow | lx_o_nonblock
        return Descriptor(
            owning: try reader.calling { () throws(Errno) in
                try valueOrErrno(lx_openat(source, name, flags, 0))
            })
    }

    private func file(
        _ name: [CChar], in source: Int32, to directory: InodeNumber, _ progress: CopyProgress
    ) throws(Errno) {
        let opened = try open(name, in: source, 0)
        guard try ItemStamp(of: opened.raw).isRegular else { throw .invalidArgument }
        try name.withFileName { (name) throws(Errno) in
            let (found, handle) = try tree.create(
                name, in: directory, mode: 0o644, flags: lx_o_rdwr | lx_o_excl | lx_o_creat, owner: owner)
            defer {
                tree.close(handle, of: found.inode)
                tree.forget(found.inode)
            }
            try FileCopy.contents(of: opened.raw, to: handle.descriptor, progress: progress)
        }
    }

    private func link(_ name: [CChar], in source: Int32, to directory: InodeNumber) throws(Errno) {
        let target =
            try reader.calling { () throws(Errno) in try linkTarget(name, in: source) }
            .map(CChar.init(bitPattern:)) + [0]
        try name.withFileName { (name) throws(Errno) in
            tree.forget(try tree.makeSymlink(to: target, name, in: directory, owner: owner).inode)
        }
    }
}

internal import HomeTree
internal import Posix
internal import SyncContent
internal import SystemPackage

/// How a path is followed: name by name from Documents, or from staging where it is parked, never through a
/// symlink, never out. Names are compared as every device's log does, however the home is mounted.
extension HomeDisk {
    /// Runs `body` with a directory's inode, which is held meanwhile.
    /// - Throws: `.gone` where there is no such directory.
    func withDirectory<R>(
        _ path: LocalPath, _ body: (InodeNumber) throws(LocalError) -> R
    ) throws(LocalError) -> R {
        guard let top = path.names.first, path.isParked else {
            return try follow(path.names[...], from: documents, body)
        }
        return try follow(
            [StagingName.parked(String(top.dropFirst()))] + path.names.dropFirst(), from: tree.staging, body)
    }

    private func follow<R>(
        _ names: ArraySlice<String>, from top: InodeNumber, _ body: (InodeNumber) throws(LocalError) -> R
    ) throws(LocalError) -> R {
        var current = top
        tree.retain(current)
        defer { tree.forget(current) }
        for name in names {
            let found = try withName(name) { (name) throws(Errno) in
                try tree.peek(name, in: current, .asSynced)
            }
            guard let found else { throw .gone }
            tree.forget(current)
            current = found.inode
            guard found.status.isDirectory else { throw .gone }
        }
        return try body(current)
    }

    /// Runs `body` with the inode of the path's parent, and the path's own name.
    /// - Throws: EINVAL for Documents itself, which is not sync's to change.
    func withParent<R>(
        of path: LocalPath, _ body: (InodeNumber, _ name: String) throws(LocalError) -> R
    ) throws(LocalError) -> R {
        guard let name = path.name else { throw LocalError(.invalidArgument) }
        if let parked = path.parkedName {
            return try body(tree.staging, StagingName.parked(parked))
        }
        return try withDirectory(path.parent) { (parent) throws(LocalError) in try body(parent, name) }
    }

    /// As `withParent`, for a change in it.
    /// - Parameter expected: which directory the parent has to be, whatever its times; nil: any.
    /// - Throws: `.changed` where it is another one.
    func withChangeableParent<R>(
        of path: LocalPath, being expected: Fingerprint? = nil,
        _ body: (InodeNumber, _ name: String) throws(LocalError) -> R
    ) throws(LocalError) -> R {
        try withParent(of: path) { (parent, name) throws(LocalError) in
            try expect(parent, being: expected)
            return try opening(parent) { () throws(LocalError) in try body(parent, name) }
        }
    }

    /// - Throws: `.changed` where a directory is another one than expected, whatever its times; nil: any.
    func expect(_ directory: InodeNumber, being expected: Fingerprint?) throws(LocalError) {
        guard let expected else { return }
        let stamp = try LocalError.from { () throws(Errno) in try tree.stamp(of: directory) }
        guard Fingerprint(stamp).isSameInode(as: expected) else { throw .changed }
    }

    /// A directory that its owner closed to himself is opened for as long as `body` takes: what came from
    /// elsewhere has to get in, whatever modes came with it.
    func opening<R>(_ directory: InodeNumber, _ body: () throws(LocalError) -> R) throws(LocalError) -> R {
        do throws(LocalError) { return try body() } catch {
            guard error == LocalError(.permissionDenied) else { throw error }
            let mode = try LocalError.from { () throws(Errno) in try tree.stamp(of: directory).mode & 0o7777 }
            if mode & 0o700 == 0o700 { throw error }
            try setMode(mode | 0o700, of: directory)
            defer { try? setMode(mode, of: directory) }
            return try body()
        }
    }

    private func setMode(_ mode: UInt32, of inode: InodeNumber) throws(LocalError) {
        var changes = AttributeChanges()
        changes.mode = mode
        _ = try LocalError.from { () throws(Errno) in try tree.change(changes, of: inode) }
    }

    /// Runs `body` with what is at a path; nil where nothing is.
    func withItem<R>(
        _ path: LocalPath, _ body: (Found, _ parent: InodeNumber) throws(LocalError) -> R
    ) throws(LocalError) -> R? {
        do throws(LocalError) {
            return try withParent(of: path) { (parent, name) throws(LocalError) -> R? in
                guard
                    let found = try withName(
                        name, { (name) throws(Errno) in try tree.peek(name, in: parent, .asSynced) })
                else { return nil }
                defer { tree.forget(found.inode) }
                return try body(found, parent)
            }
        } catch {
            if error == .gone { return nil }
            throw error
        }
    }

    /// Runs a call of the tree with a name, which may come from another device.
    /// - Throws: EINVAL for what is not one name.
    func withName<R>(_ name: String, _ body: (FileName) throws(Errno) -> R) throws(LocalError) -> R {
        guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(0),
            !name.utf8.contains(UInt8(ascii: "/"))
        else { throw LocalError(.invalidArgument) }
        return try LocalError.from { () throws(Errno) in try name.withFileName(body) }
    }

    /// Makes the names of a directory durable.
    func syncDirectory(_ directory: InodeNumber) throws(LocalError) {
        try LocalError.from { () throws(Errno) in try tree.openDirectory(directory).sync() }
    }
}

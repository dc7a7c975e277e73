public import CLinux
public import FuseKit
public import Posix
public import SystemPackage

/// Open files and directories: a handle is the part's own, and comes back with a node of that part.
extension CompositeFileSystem {
    public func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.open(item, flags: flags, stripsPrivileges: stripsPrivileges, for: caller)
        }
    }

    public func create(
        _ name: FileName, in directory: NodeKey, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> (Entry, Opened) {
        try withPart(of: directory) { (part, node) throws(Errno) in
            let (made, opened) = try part.fileSystem.create(
                name, in: node, mode: mode, flags: flags, for: caller)
            return (try entry(made, of: part), opened)
        }
    }

    public func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) {
        guard case .item(let part, let item)? = try? nodes.content(of: node) else {
            return reply.error(.staleHandle)
        }
        part.fileSystem.read(item, handle: handle, sizeBytes: sizeBytes, offset: offset, reply: reply)
    }

    public func write(
        _ bytes: WriteBuffer, to node: NodeKey, handle: HandleKey, offset: Int64?, stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.write(
                bytes, to: item, handle: handle, offset: offset, stripsPrivileges: stripsPrivileges)
        }
    }

    public func flush(_ node: NodeKey, handle: HandleKey) throws(Errno) {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.flush(item, handle: handle)
        }
    }

    public func release(_ node: NodeKey, handle: HandleKey) {
        guard case .item(let part, let item)? = try? nodes.content(of: node) else { return }
        part.fileSystem.release(item, handle: handle)
    }

    public func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.sync(item, handle: handle, dataOnly: dataOnly)
        }
    }

    public func allocate(
        _ node: NodeKey, handle: HandleKey, mode: Int32, offset: Int64, sizeBytes: Int64, for caller: Caller
    ) throws(Errno) {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.allocate(
                item, handle: handle, mode: mode, offset: offset, sizeBytes: sizeBytes, for: caller)
        }
    }

    public func seek(_ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32) throws(Errno) -> Int64
    {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.seek(item, handle: handle, offset: offset, whence: whence)
        }
    }

    /// Both handles are descriptors, so that this works from one part to another too.
    public func copyRange(
        from source: HandleKey, offset: Int64, to node: NodeKey, handle: HandleKey, offset newOffset: Int64,
        sizeBytes: Int, for caller: Caller
    ) throws(Errno) -> Int {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.copyRange(
                from: source, offset: offset, to: item, handle: handle, offset: newOffset,
                sizeBytes: sizeBytes, for: caller)
        }
    }

    public func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        switch try nodes.content(of: node) {
        case .item(let part, let item): return try part.fileSystem.openDirectory(item, for: caller)
        case .own(_, .directory): return listings.add([])
        case .own(_, .closed): throw .notPermitted
        case .own: throw .notDirectory
        }
    }

    /// Names only: what an entry would say with them, the kernel asks for anew anyway.
    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        switch try nodes.content(of: node) {
        case .item(let part, let item):
            listing.leavesEntriesOut = true
            try part.fileSystem.list(item, handle: handle, from: offset, into: &listing, for: caller)
        case .own(let path, _):
            if offset == 0 { listings[handle] = try names.directory(path).entries }
            for (index, entry) in (listings[handle] ?? []).enumerated().dropFirst(Int(clamping: offset)) {
                let isAdded = try entry.name.withFileName { (name) throws(Errno) in
                    listing.add(
                        name, inode: Self.number(of: "\(path)/\(entry.name)"), mode: entry.kind.mode,
                        next: Int64(index + 1))
                }
                if !isAdded { return }
            }
        }
    }

    public func releaseDirectory(_ node: NodeKey, handle: HandleKey) {
        guard case .item(let part, let item)? = try? nodes.content(of: node) else {
            return listings.remove(handle)
        }
        part.fileSystem.releaseDirectory(item, handle: handle)
    }

    public func statistics(of node: NodeKey) throws(Errno) -> statvfs {
        switch try nodes.content(of: node) {
        case .item(let part, let item): try part.fileSystem.statistics(of: item)
        case .own: try layout.statistics()
        }
    }

    public func syncDirectory(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        guard case .item(let part, let item) = try nodes.content(of: node) else { return }
        try part.fileSystem.syncDirectory(item, handle: handle, dataOnly: dataOnly)
    }
}

extension CompositeEntry.Kind {
    fileprivate var mode: UInt32 {
        if case .link = self { FileMode.symlink } else { FileMode.directory }
    }
}

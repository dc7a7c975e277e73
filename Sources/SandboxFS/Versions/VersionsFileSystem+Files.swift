internal import CLinux
public import FuseKit
internal import HomeTree
internal import Posix
internal import Synchronization
public import SystemPackage

/// Open files and directories. A version's handle has the highest bit, which no handle of the tree has.
extension VersionsFileSystem {
    private static let versionBit: UInt64 = 1 << 63

    public func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        guard let sibling = try sibling(node) else {
            return try home.open(node, flags: flags, stripsPrivileges: stripsPrivileges, for: caller)
        }
        if flags & (lx_o_accmode | lx_o_trunc) != 0 { throw refused("open for writing", sibling, caller) }
        let number = opened.wrappingAdd(1, ordering: .relaxed).newValue
        return Opened(handle: HandleKey(rawValue: number | Self.versionBit), mode: .direct)
    }

    /// May wait for the network.
    public func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) {
        guard ConflictSiblings.has(node) else {
            return home.read(node, handle: handle, sizeBytes: sizeBytes, offset: offset, reply: reply)
        }
        guard offset >= 0, let sibling = try? sibling(node) else { return reply.error(.invalidArgument) }
        let pending = PendingRead(reply)
        sibling.version.read(offset: UInt64(offset), sizeBytes: sizeBytes) { pending.answer($0) }
    }

    public func write(
        _ bytes: WriteBuffer, to node: NodeKey, handle: HandleKey, offset: Int64?, stripsPrivileges: Bool
    ) throws(Errno) -> Int {
        try refuseVersion(node)
        return try home.write(
            bytes, to: node, handle: handle, offset: offset, stripsPrivileges: stripsPrivileges)
    }

    public func allocate(
        _ node: NodeKey, handle: HandleKey, mode: Int32, offset: Int64, sizeBytes: Int64, for caller: Caller
    ) throws(Errno) {
        try refuseVersion(node)
        try home.allocate(
            node, handle: handle, mode: mode, offset: offset, sizeBytes: sizeBytes, for: caller)
    }

    /// A version's handle is no descriptor, and no kernel asks for this: a program does that stands in its
    /// place.
    private func refuseVersion(_ node: NodeKey) throws(Errno) {
        if ConflictSiblings.has(node) { throw .badFileDescriptor }
    }

    public func release(_ node: NodeKey, handle: HandleKey) {
        if !ConflictSiblings.has(node) { home.release(node, handle: handle) }
    }

    public func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        if !ConflictSiblings.has(node) { try home.sync(node, handle: handle, dataOnly: dataOnly) }
    }

    public func seek(
        _ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32
    ) throws(Errno) -> Int64 {
        guard let sibling = try sibling(node) else {
            return try home.seek(node, handle: handle, offset: offset, whence: whence)
        }
        let sizeBytes = UInt64(sibling.status.st_size)
        return try UnbackedItem.seek(offset: offset, whence: whence, ofBytes: sizeBytes)
    }

    /// Of a version the kernel copies by reading.
    public func copyRange(
        from source: HandleKey, offset: Int64, to node: NodeKey, handle: HandleKey, offset newOffset: Int64,
        sizeBytes: Int, for caller: Caller
    ) throws(Errno) -> Int {
        try refuseVersion(node)
        if source.rawValue & Self.versionBit != 0 { throw .improperLink }
        return try home.copyRange(
            from: source, offset: offset, to: node, handle: handle, offset: newOffset, sizeBytes: sizeBytes,
            for: caller)
    }

    // MARK: Directories

    /// Versions come and go, and no kernel is told.
    public var keepsListings: Bool { false }

    public func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        try refuseFile(node)
        return home.directories.add(try home.tree.openDirectory(InodeNumber(node)))
    }

    private func refuseFile(_ node: NodeKey) throws(Errno) {
        if ConflictSiblings.has(node) { throw .notDirectory }
    }

    public func syncDirectory(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {
        try refuseFile(node)
        try home.syncDirectory(node, handle: handle, dataOnly: dataOnly)
    }

    public func releaseDirectory(_ node: NodeKey, handle: HandleKey) {
        listed.remove(handle)
        home.releaseDirectory(node, handle: handle)
    }

    /// Offsets of versions begin here, where no backing file system has any.
    private static let firstOffset = Int64.max - (mostListed + 1)
    /// Of one directory.
    private static let mostListed: Int64 = 1 << 20 - 1

    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        try refuseFile(node)
        var index = 0
        if offset >= Self.firstOffset, offset < .max {
            index = Int(offset - Self.firstOffset)
        } else {
            guard let versions = home.tree.conflictVersions(in: InodeNumber(node)) else {
                return try home.list(node, handle: handle, from: offset, into: &listing, for: caller)
            }
            guard try home.listAll(node, handle: handle, from: offset, into: &listing, for: caller) else {
                return
            }
            listed[handle] = versions
            listedBefore.note(versions, of: node)
        }
        for version in (listed[handle] ?? []).prefix(Int(Self.mostListed)).dropFirst(index) {
            index += 1
            let next = Self.firstOffset + Int64(index)
            guard try add(version, of: node, to: &listing, next: next) else { return }
        }
    }

    /// - Returns: false where it finds no room.
    private func add(
        _ version: any ConflictVersion, of node: NodeKey, to listing: inout Listing, next: Int64
    ) throws(Errno) -> Bool {
        try version.name.withFileName { (name) throws(Errno) in
            if try isItem(name, in: node) { return true }
            if listing.wantsEntries {
                return listing.add(name, try entry(of: version, in: node), next: next)
            }
            let status = try sibling(of: version, in: node).status
            return listing.add(name, inode: UInt64(status.st_ino), mode: status.st_mode, next: next)
        }
    }
}

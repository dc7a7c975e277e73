internal import CLinux
internal import Posix
internal import SystemPackage

/// References, pins and descriptors: how long a record lives, and what leads to its inode.
extension InodeTable {
    /// Pins what leads to an inode: the inode itself where it has a descriptor, or its parent.
    /// - Returns: it and its descriptor; -1 where that has to be opened.
    /// - Throws: ESTALE where nothing leads there any more.
    mutating func reach(_ number: InodeNumber) throws(Errno) -> (number: InodeNumber, descriptor: Int32) {
        guard let inode = slab.live(number) else { throw .staleHandle }
        if let descriptor = ownDescriptor(number) {
            inode.pointee.pins += 1
            return (number, descriptor)
        }
        if inode.pointee.isDetached { throw .staleHandle }
        return (inode.pointee.parent, try pin(inode.pointee.parent))
    }

    /// Pins the nearest directory above an inode that has a descriptor, and what is in it on the way down; of
    /// the inode itself only where it has a descriptor, then as the directory.
    /// - Throws: ESTALE where nothing leads there any more.
    mutating func pinLevel(above number: InodeNumber) throws(Errno) -> (
        directory: InodeNumber, descriptor: Int32, child: InodeNumber
    ) {
        var (directory, child) = (number, number)
        while true {
            guard let inode = slab.live(directory) else { throw .staleHandle }
            if let descriptor = ownDescriptor(directory) {
                inode.pointee.pins += 1
                if child != number { slab[child].pointee.pins += 1 }
                return (directory, descriptor, child)
            }
            if inode.pointee.isDetached { throw .staleHandle }
            (directory, child) = (inode.pointee.parent, directory)
        }
    }

    /// A descriptor of the inode itself: its own, or that of a handle, which also leads where no name does,
    /// or none that this process may use.
    private func ownDescriptor(_ number: InodeNumber) -> Int32? {
        let inode = slab[number]
        if inode.pointee.descriptor >= 0 {
            inode.pointee.flags.insert(.used)
            return inode.pointee.descriptor
        }
        guard inode.pointee.firstHandle != HandleTable.none else { return nil }
        return handles.descriptor(inode.pointee.firstHandle)
    }

    /// Keeps the record and its descriptor from ending.
    /// - Returns: the descriptor, or -1 where it has to be opened.
    /// - Throws: ESTALE where the record has ended.
    mutating func pin(_ number: InodeNumber) throws(Errno) -> Int32 {
        guard let inode = slab.live(number) else { throw .staleHandle }
        inode.pointee.pins += 1
        inode.pointee.flags.insert(.used)
        return inode.pointee.descriptor
    }

    mutating func unpin(_ number: InodeNumber, into leftovers: inout Leftovers) {
        slab[number].pointee.pins -= 1
        if !retired.isEmpty, slab[number].pointee.pins == 0, let done = retired.removeValue(forKey: number) {
            leftovers.descriptors += done
        }
        endUnknown(number, into: &leftovers)
    }

    /// One more reference to an inode that the caller holds already.
    mutating func retain(_ number: InodeNumber) { slab[number].pointee.references += 1 }

    /// Gives references back, and ends the record, and its parents', that nobody knows any more.
    mutating func release(_ number: InodeNumber, count: UInt32 = 1, into leftovers: inout Leftovers) {
        let inode = slab[number]
        inode.pointee.references -= min(count, inode.pointee.references)
        endUnknown(number, into: &leftovers)
    }

    /// Drops a reference without ending the record: for a parent, which ends in `end` of its last child.
    mutating func dropReference(_ number: InodeNumber) { slab[number].pointee.references -= 1 }

    private mutating func endUnknown(_ number: InodeNumber, into leftovers: inout Leftovers) {
        var current = number
        while true {
            let inode = slab[current]
            guard inode.pointee.references == 0, inode.pointee.pins == 0,
                !inode.pointee.flags.contains(.root),
                inode.pointee.flags.contains(.live)
            else { return }
            let parent = end(current, into: &leftovers)
            guard let parent else { return }
            dropReference(parent)
            current = parent
        }
    }

    /// Ends one record; returns the parent whose reference it held.
    private mutating func end(_ number: InodeNumber, into leftovers: inout Leftovers) -> InodeNumber? {
        let inode = slab[number]
        forgetIdentity(of: number)
        if inode.pointee.descriptor >= 0 {
            cache.remove(number, from: slab)
            leftovers.descriptors.append(inode.pointee.descriptor)
        }
        if inode.pointee.isDirectory {
            spellings[number] = nil
            nameSets.drop(number)
        }
        let keepsParent = keepChange(of: number)
        let parent = inode.name == nil || keepsParent ? nil : inode.pointee.parent
        forgetName(of: number)
        inode.clearName()
        slab.remove(number)
        return parent
    }
}

// MARK: Cached descriptors

extension InodeTable {
    /// How many descriptors may be evicted.
    var cachedCount: Int { cache.count }

    /// Makes an O_PATH descriptor the inode's own.
    mutating func setDescriptor(_ descriptor: Int32, of number: InodeNumber) {
        slab[number].pointee.descriptor = descriptor
        slab[number].pointee.flags.insert(.used)
        cache.add(number, to: slab)
    }

    /// Makes a descriptor, opened by name, the inode's own where it has none yet and that is what was opened.
    /// - Returns: the inode's own; nil where the name led to something else.
    mutating func adopt(_ descriptor: Int32, _ status: stat, for number: InodeNumber) -> Int32? {
        guard isInode(number, status) else { return nil }
        if slab[number].pointee.descriptor < 0 { setDescriptor(descriptor, of: number) }
        return slab[number].pointee.descriptor
    }

    /// Takes descriptors from inodes that do not use them; the caller closes them.
    /// - Returns: whether the clock's hand has passed over all.
    mutating func evict(_ wanted: Int, takesUnlinked: Bool, into evicted: inout [Int32]) -> Bool {
        cache.evict(wanted, from: slab, takesUnlinked: takesUnlinked, into: &evicted)
    }
}

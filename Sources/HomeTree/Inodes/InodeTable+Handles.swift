/// Open files, and who may be writing.
extension InodeTable {
    /// An open file counts: it holds a reference.
    mutating func open(_ descriptor: Int32, of number: InodeNumber, mayWrite: Bool) -> FileHandle {
        let inode = slab[number]
        inode.pointee.references += 1
        if mayWrite { inode.pointee.writeHandles += 1 }
        let index = handles.insert(
            descriptor, of: number, mayWrite: mayWrite, head: &inode.pointee.firstHandle)
        return FileHandle(index: index, descriptor: descriptor)
    }

    /// What is to be done outside the lock once a handle is closed.
    struct Closed {
        /// The handle's descriptor is nobody's any more.
        var closesDescriptor = true
        /// Hears of a change once the descriptor is closed.
        var listener: (any ChangeListener)?
        var leftovers = Leftovers()
    }

    mutating func close(_ handle: FileHandle, of number: InodeNumber) -> Closed {
        var closed = Closed()
        let inode = slab[number]
        let (mayWrite, isWriter) = handles.remove(handle.index, head: &inode.pointee.firstHandle)
        if isWriter { inode.pointee.writers -= 1 }
        if mayWrite { inode.pointee.writeHandles -= 1 }
        // While the record is there for certain.
        closed.listener = mayWrite ? noteChanged(number) : nil
        // Somebody may still reach an unlinked inode, or be at it now: its last descriptor stays with it.
        let isNeeded =
            inode.pointee.isDetached && inode.pointee.descriptor < 0
            && (inode.pointee.references > 1 || inode.pointee.pins > 0)
        if isNeeded {
            setDescriptor(handle.descriptor, of: number)
            closed.closesDescriptor = false
        } else if inode.pointee.pins > 0 {
            retired[number, default: []].append(handle.descriptor)
            closed.closesDescriptor = false
        }
        release(number, into: &closed.leftovers)
        return closed
    }

    var openCount: Int { handles.count }

    /// Where what is open lies, as a person sees it, in order; what has lost its name is not among it.
    var openPaths: [String] { handles.inodes.map { shownPath(of: $0) }.filter { !$0.isEmpty }.sorted() }

    func isOpen(_ number: InodeNumber) -> Bool {
        slab.live(number).map { $0.pointee.firstHandle != HandleTable.none } ?? false
    }

    func isOpen(_ identity: Identity) -> Bool { inode(identity).map { isOpen($0) } ?? false }

    /// Whether a handle is open that may write.
    func hasWriteHandle(_ number: InodeNumber) -> Bool { (slab.live(number)?.pointee.writeHandles ?? 0) > 0 }
}

// MARK: Writers past us

extension InodeTable {
    /// The handle writes with passthrough.
    /// - Parameter mayMap: it can be mapped, too: nothing that is known of the inode stays true by itself.
    /// - Returns: whether the kernel was told to believe its attributes.
    mutating func noteWriter(_ handle: FileHandle, of number: InodeNumber, mayMap: Bool) -> Bool {
        let inode = slab[number]
        handles.noteWriter(handle.index)
        inode.pointee.writers += 1
        inode.pointee.writerCount &+= 1
        guard mayMap else { return false }
        inode.pointee.flags.insert(.possiblyWritten)
        return inode.pointee.flags.remove(.believed) != nil
    }

    func isPossiblyWritten(_ number: InodeNumber) -> Bool {
        slab.live(number)?.pointee.flags.contains(.possiblyWritten) ?? false
    }

    /// Whether it is worth asking for a lease of a possibly written inode.
    /// - Returns: how many writers it has had; nil where it is not possibly written, or surely is.
    func writersBeforeCheck(_ number: InodeNumber) -> UInt32? {
        guard let inode = slab.live(number), inode.pointee.flags.contains(.possiblyWritten),
            inode.pointee.writers == 0
        else { return nil }
        return inode.pointee.writerCount
    }

    /// A lease told that nobody writes it, unless there was a writer since.
    mutating func noteNoWriter(_ number: InodeNumber, writers seen: UInt32) {
        guard let inode = slab.live(number), inode.pointee.writerCount == seen else { return }
        inode.pointee.flags.remove(.possiblyWritten)
    }

    /// Whether the kernel may believe attributes that were read before this call.
    mutating func mayBelieve(_ number: InodeNumber) -> Bool {
        guard let inode = slab.live(number), !inode.pointee.flags.contains(.possiblyWritten) else {
            return false
        }
        inode.pointee.flags.insert(.believed)
        return true
    }
}

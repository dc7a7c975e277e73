internal import CLinux
internal import Posix
internal import SystemPackage

/// Who writes files of the home. With passthrough no WRITE comes, and a shared mapping goes on writing after
/// its file was closed. So an inode that was open for reading and writing, and may be mapped, is *possibly
/// written* until a lease tells that nobody writes it. (Of write(2) the kernel knows itself, and asks for the
/// attributes after it.)
///
/// The record of a possibly written inode may end: a mapping keeps the kernel's inode, so what the kernel
/// forgets is not mapped.
extension HomeTree {
    /// The inode is open for writing with passthrough.
    /// - Parameter mayMap: the handle can be mapped to write, for which it must be open for reading too: then
    ///   nothing that is known of the inode stays true by itself.
    /// - Returns: whether the kernel was told to believe its attributes, and must be told otherwise.
    func noteWriter(_ handle: FileHandle, of number: InodeNumber, mayMap: Bool) -> Bool {
        noteChanged(number)
        return tables.withLock { $0.noteWriter(handle, of: number, mayMap: mayMap) }
    }

    func isPossiblyWritten(_ number: InodeNumber) -> Bool {
        tables.withLock { $0.isPossiblyWritten(number) }
    }

    /// Whether the kernel may believe attributes that were read before this call, until it is told otherwise:
    /// at the next writer.
    public func mayBelieve(_ number: InodeNumber) -> Bool {
        tables.withLock { $0.mayBelieve(number) }
    }

    /// Finds out whether a possibly written inode is written no more. To be called before attributes are read
    /// that the kernel shall believe.
    public func checkForWriters(_ number: InodeNumber) {
        // A writer that opens while the lease is asked for would go unnoticed by the flag alone.
        let seen = tables.withLock { $0.writersBeforeCheck(number) }
        guard let seen, ask(number, inodes.leases.hasWriter) == false else { return }
        tables.withLock { $0.noteNoWriter(number, writers: seen) }
    }

    /// Whether somebody has a file open for writing, or may write to it through a mapping.
    public func mayBeWritten(_ number: InodeNumber) -> Bool {
        tables.withLock { $0.hasWriteHandle(number) } || ask(number, inodes.leases.hasWriter) == true
    }

    /// As `mayBeWritten`, through an open handle for reading.
    public func mayBeWritten(_ number: InodeNumber, through handle: FileHandle) -> Bool {
        // Without leases RELEASE comes after the last mapping.
        tables.withLock { $0.hasWriteHandle(number) } || inodes.leases.hasWriter(handle.descriptor) == true
    }

    /// As `mayBeWritten`, from what the tree knows already where it does: for a look at many.
    public func seemsWritten(_ number: InodeNumber) -> Bool {
        let (isOpen, mayBeMapped) = tables.withLock {
            ($0.hasWriteHandle(number), $0.isPossiblyWritten(number))
        }
        return isOpen || mayBeMapped && ask(number, inodes.leases.hasWriter) == true
    }

    /// Whether anybody has a file open or mapped. Where its file system does not tell, who has it open
    /// through the tree.
    public func isInUse(_ number: InodeNumber) -> Bool {
        tables.withLock { $0.isOpen(number) } || ask(number, inodes.leases.hasUser) == true
    }

    /// As `Leases.keep`, until `endLease`.
    public func holdLease(_ handle: FileHandle) { inodes.leases.keep(handle.descriptor) }

    public func endLease(_ handle: FileHandle) { lx_give_lease_back(handle.descriptor) }

    /// - Returns: nil where it cannot be told.
    private func ask(_ number: InodeNumber, _ question: (Int32) -> Bool?) -> Bool? {
        do throws(Errno) {
            let file = try inodes.openContents(of: number)
            return question(file.raw)
        } catch {
            return error == .wouldBlock ? true : nil
        }
    }
}

// MARK: All files of the home

/// Asked of the backing files one by one.
extension HomeTree {
    private typealias Level = (directory: SharedDescriptor, names: [String])

    /// Whether nobody has any file of the home open for writing, or mapped so, through a mount or past all
    /// of them. Walks the whole home; for a thread that nobody waits for.
    ///
    /// - Parameter isWanted: asked before each file; where it says no, so does this.
    /// - Returns: false also where a file could not be asked.
    public func isUnwritten(while isWanted: () -> Bool) -> Bool {
        do throws(Errno) {
            let top = try inodes.withDirectory(home) { (descriptor) throws(Errno) in
                SharedDescriptor(try Descriptor(unnoticedDirectory: ".", at: descriptor))
            }
            // On the way down: what was opened, and which directories in it are still to be entered.
            var levels: [Level] = []
            guard try add(top, to: &levels, while: isWanted) else { return false }
            while let last = levels.indices.last {
                guard let name = levels[last].names.popLast() else {
                    levels.removeLast()
                    continue
                }
                guard let next = try enter(name, in: levels[last].directory.raw) else { continue }
                guard try add(next, to: &levels, while: isWanted) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    /// - Returns: nil where it is no directory any more.
    private func enter(_ name: String, in directory: Int32) throws(Errno) -> SharedDescriptor? {
        do throws(Errno) {
            return SharedDescriptor(try Descriptor(unnoticedDirectory: name, at: directory))
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw error
        }
    }

    /// Asks the files of a directory, and notes the directories in it.
    /// - Returns: false where one is possibly written.
    private func add(
        _ directory: SharedDescriptor, to levels: inout [Level], while isWanted: () -> Bool
    ) throws(Errno) -> Bool {
        var names: [String] = []
        var entries = DirectoryEntries()
        while let entry = try entries.next(of: directory.raw) {
            if entry.name.isDotOrDotDot { continue }
            switch entry.mode == 0 ? mode(of: entry.name, in: directory.raw) : entry.mode {
            case FileMode.directory: names.append(entry.name.text)
            case FileMode.regular:
                guard isWanted(), try isUnwritten(entry.name, in: directory.raw) else { return false }
            default: continue
            }
        }
        levels.append((directory, names))
        return true
    }

    /// For a file system whose directories do not say; 0 where it is gone.
    private func mode(of name: FileName, in directory: Int32) -> UInt32 {
        ((try? stat(directory, name.cString))?.st_mode ?? 0) & FileMode.typeMask
    }

    private func isUnwritten(_ name: FileName, in directory: Int32) throws(Errno) -> Bool {
        do throws(Errno) {
            let file = Descriptor(owning: try inodes.openContents(directory, name.cString, flags: 0))
            return inodes.leases.hasWriter(file.raw) == false
        } catch {
            if error == .noSuchFileOrDirectory { return true }
            throw error
        }
    }
}

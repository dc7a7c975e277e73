internal import CLinux
internal import Posix
internal import SystemPackage

/// Who writes past us: with passthrough no WRITE comes, and a shared mapping goes on writing after its file
/// was closed. An inode that was open so that it may be mapped is *restless* until a lease tells that nobody
/// writes it. (Of write(2) the kernel knows itself, and asks for the attributes after it.)
///
/// A restless inode may be forgotten: a mapping keeps the kernel's inode, so what the kernel forgets is
/// quiet.
extension HomeTree {
    /// The inode is open for writing with passthrough.
    /// - Parameter mayMap: the handle can be mapped to write, for which it must be open for reading too: then
    ///   nothing that is known of the inode stays true by itself.
    /// - Returns: whether the kernel was told to believe its attributes, and must be told otherwise.
    func noteWriter(_ handle: FileHandle, of number: InodeNumber, mayMap: Bool) -> Bool {
        noteChanged(number)
        return tables.withLock { $0.noteWriter(handle, of: number, mayMap: mayMap) }
    }

    /// Whether nobody writes the inode past us.
    func isQuiet(_ number: InodeNumber) -> Bool {
        tables.withLock { !$0.isRestless(number) }
    }

    /// Whether the kernel may believe attributes that were read before this call. Who is told so is to be
    /// told of the next writer.
    public func mayBelieve(_ number: InodeNumber) -> Bool {
        tables.withLock { $0.mayBelieve(number) }
    }

    /// Finds out whether a restless inode is quiet by now. To be called before attributes are read that the
    /// kernel shall believe.
    public func settle(_ number: InodeNumber) {
        // A writer that opens while the lease is asked for would go unnoticed by the flag alone.
        let seen = tables.withLock { $0.writersToSettle(number) }
        guard let seen, hasNoWriter(number) else { return }
        tables.withLock { $0.settle(number, writers: seen) }
    }

    /// Asks the backing file for a read lease, which it refuses while anybody has it open for writing or
    /// mapped so.
    private func hasNoWriter(_ number: InodeNumber) -> Bool {
        do throws(Errno) {
            let file = try inodes.openContents(of: number)
            return inodes.leases.withLock { _ in lx_probe_read_lease(file.raw) } == 0
        } catch {
            return false
        }
    }

    /// Tries what passthrough needs of the backing file system, on a file without a name.
    func tryPassthrough(_ kernel: any PassthroughKernel) throws(PassthroughObstacle) {
        // The file below is this process's own, whose lease it has anyway.
        guard lx_may_lease() != 0 else { throw .mayNotLease }
        let file: Int32
        do throws(Errno) {
            file = try inodes.withDirectory(home) { (directory) throws(Errno) in
                try valueOrErrno(lx_openat(directory, ".", lx_o_tmpfile | lx_o_rdwr, 0o600))
            }
        } catch {
            throw .refused(errno: error.rawValue)
        }
        let backing = kernel.openBacking(file)
        if backing > 0 { kernel.closeBacking(backing) }
        let tells = lx_leases_tell(file)
        if tells != 1 { throw .leasesTellNothing }
        if backing <= 0 { throw .refused(errno: -backing) }
    }
}

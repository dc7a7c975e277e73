internal import CLinux
public import Posix
internal import SystemPackage

/// Chooses and keeps the I/O modes of one view: one superblock of the kernel, with a page cache of its own.
public final class ViewModes: Sendable {
    private struct State {
        var table = ModeTable()
        /// nil: nothing passes through.
        var kernel: (any PassthroughKernel)?
    }

    private let tree: HomeTree
    /// Where contents do not pass through.
    private let otherwise: IOMode
    /// Whether even a small file that is only read passes through.
    private let passesAll: Bool
    /// Before the tree's table lock. Held across the call that makes a backing file known, which waits for
    /// nothing: no other open may choose meanwhile.
    private let state = Lock(State(), rank: .viewModes)

    /// A file that is opened for reading alone passes through from this size on.
    ///
    /// Making a backing file known and unknown costs each open a little; cached pages cost a request at the
    /// first, and are copied once more. Measured (open, read, close; ring and classic): at this size the
    /// first read wins 17 us (ring) or 23 us (classic) and nothing is lost later; at 64 KiB it wins 27 or
    /// 40 us. Below it the first would win 6 to 12 us and each later one lose 2 to 4; that is estimated.
    static let leastBytesRead: Int64 = 32 << 10

    /// - Parameter otherwise: what stands in where contents do not pass through: `.cached`, or `.direct` for
    ///   a view whose kernel is not told of changes.
    public init(tree: HomeTree, otherwise: IOMode) {
        self.tree = tree
        self.otherwise = otherwise
        passesAll = otherwise == .direct
    }

    /// From now on contents pass through `kernel`, where they may.
    /// - Throws: why they do not.
    public func start(_ kernel: any PassthroughKernel) throws(PassthroughRefusal) {
        try tryPassthrough(kernel)
        state.withLock { $0.kernel = kernel }
    }

    /// Tries what passthrough needs of the backing file system, on a file without a name.
    private func tryPassthrough(_ kernel: any PassthroughKernel) throws(PassthroughRefusal) {
        // The file below is this process's own, whose lease it has anyway.
        guard lx_may_lease() != 0 else { throw .mayNotLease }
        let file: Int32
        do throws(Errno) { file = try tree.temporaryFile().release() } catch {
            throw .backingFileRefused(error)
        }
        let backing = kernel.openBacking(file)
        if backing > 0 { kernel.closeBacking(backing) }
        let tells = lx_leases_tell(file)
        if tells != 1 { throw .leasesTellNothing }
        if backing <= 0 { throw .backingFileRefused(Errno(rawValue: -backing)) }
    }

    /// Counts an open of `inode`, and says how the kernel is to treat it.
    /// - Parameters:
    ///   - flags: of open(2).
    ///   - isCreation: the open came with a CREATE.
    public func enter(
        _ inode: InodeNumber, _ handle: FileHandle, flags: Int32, isCreation: Bool = false
    ) -> IOMode {
        let isWriter = flags & lx_o_accmode != 0
        let (mode, kernel) = state.withLock { state in
            let kernel = state.kernel
            let mode = state.table.enter(inode) {
                guard let kernel, passesAll || isCreation || isWriter || passes(inode, handle)
                else { return otherwise }
                let backing = kernel.openBacking(handle.descriptor)
                return backing > 0 ? .passthrough(backing: backing) : otherwise
            }
            return (mode, kernel)
        }
        if case .passthrough = mode, isWriter {
            let mayMap = flags & lx_o_accmode != lx_o_wronly
            let believes = tree.noteWriter(handle, of: inode, mayMap: mayMap)
            if believes { kernel?.forgetAttributes(of: inode) }
        }
        return mode
    }

    /// Takes an open back.
    public func leave(_ inode: InodeNumber) {
        let (ended, kernel) = state.withLock { ($0.table.leave(inode), $0.kernel) }
        if case .passthrough(let backing) = ended { kernel?.closeBacking(backing) }
    }

    /// Whether a handle is served by requests although its inode passes through, because fcntl(2) may take
    /// these flags back. The kernel opens the backing file with those of the open and tells it of no change;
    /// requests have the flags of their time.
    ///
    /// O_APPEND always. O_DIRECT of a writer: a program that copies in blocks takes it back for the last
    /// piece, which is no whole block, and a backing file that was opened with it would refuse that. A reader
    /// need not take it back: the last piece ends with the file.
    public static func needsRequests(_ flags: Int32) -> Bool {
        flags & lx_o_append != 0 || flags & lx_o_direct != 0 && flags & lx_o_accmode != 0
    }

    /// Whether a file that is opened for reading alone passes through.
    private func passes(_ inode: InodeNumber, _ handle: FileHandle) -> Bool {
        if tree.isPossiblyWritten(inode) { return true }
        return ((try? stat(of: handle.descriptor))?.st_size ?? 0) >= Self.leastBytesRead
    }
}

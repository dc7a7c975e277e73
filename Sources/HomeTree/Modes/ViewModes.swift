internal import CLinux
internal import Posix

/// Chooses and keeps the I/O modes of one view: one superblock of the kernel, with a page cache of its own.
public final class ViewModes: Sendable {
    /// What stands in where contents do not pass through.
    public enum Fallback: Sendable {
        case cached
        /// For a view whose kernel is not told of changes.
        case direct
    }

    private struct State {
        var table = ModeTable()
        /// nil: nothing passes through.
        var kernel: (any PassthroughKernel)?
    }

    private let tree: HomeTree
    private let fallback: Fallback
    /// Whether even a small file that is only read passes through.
    private let passesAll: Bool
    /// Before the tree's table lock. Held across the call that makes a backing file known, which waits for
    /// nothing: no other open may choose meanwhile.
    private let state = Lock(State())

    /// A file that is opened for reading alone passes through from this size on.
    ///
    /// Making a backing file known and unknown costs each open a little; cached pages cost a request at the
    /// first, and are copied once more. Measured (open, read, close; ring and classic): at this size the
    /// first read wins 17 us (ring) or 23 us (classic) and nothing is lost later; at 64 KiB it wins 27 or
    /// 40 us. Below it the first would win 6 to 12 us and each later one lose 2 to 4; that is estimated.
    static let leastBytesRead: Int64 = 32 << 10

    /// - Parameter passesAll: no page cache stands between this view and others' writes, where that can be
    ///   had.
    public init(tree: HomeTree, fallback: Fallback, passesAll: Bool = false) {
        self.tree = tree
        self.fallback = fallback
        self.passesAll = passesAll || fallback == .direct
    }

    /// From now on contents pass through `kernel`, where they may.
    /// - Throws: why they do not.
    public func start(_ kernel: any PassthroughKernel) throws(PassthroughObstacle) {
        try tree.tryPassthrough(kernel)
        state.withLock { $0.kernel = kernel }
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
        switch mode {
        case .cached: return .cached
        case .direct: return .direct
        case .passthrough(let backing):
            if isWriter {
                let mayMap = flags & lx_o_accmode != lx_o_wronly
                let believes = tree.noteWriter(handle, of: inode, mayMap: mayMap)
                if believes { kernel?.forgetAttributes(of: inode) }
            }
            return .passthrough(backing: backing, isDirect: Self.mayTakeBack(flags))
        }
    }

    /// Takes an open back.
    public func leave(_ inode: InodeNumber) {
        let (ended, kernel) = state.withLock { ($0.table.leave(inode), $0.kernel) }
        if case .passthrough(let backing) = ended { kernel?.closeBacking(backing) }
    }

    /// Whether the handle's flags may be taken back by fcntl(2). The kernel opens the backing file with those
    /// of the open and tells it of no change, so such a handle is served by requests, which have the flags of
    /// their time.
    ///
    /// O_APPEND always. O_DIRECT where one writes: whoever copies in blocks writes the last, odd piece
    /// without it, which a backing file that was opened with it refuses. Who only reads has the odd piece at
    /// the end of the file either way.
    private static func mayTakeBack(_ flags: Int32) -> Bool {
        flags & lx_o_append != 0 || flags & lx_o_direct != 0 && flags & lx_o_accmode != 0
    }

    /// Whether a file that is opened for reading alone passes through.
    private func passes(_ inode: InodeNumber, _ handle: FileHandle) -> Bool {
        if !tree.isQuiet(inode) { return true }
        var status = stat()
        return lx_fstat(handle.descriptor, &status) == 0 && status.st_size >= Self.leastBytesRead
    }

    private var otherwise: ModeTable.Mode {
        switch fallback {
        case .cached: .cached
        case .direct: .direct
        }
    }
}

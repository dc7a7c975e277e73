internal import CLinux
public import Posix
public import SystemPackage

/// An open directory of a home, read from any offset that it gave.
// Unchecked: everything mutable is in `state`, a lock.
public final class DirectoryReader: @unchecked Sendable {
    public let directory: InodeNumber
    let descriptor: Int32
    private let handles: HandleShare
    /// Leaf, but for the reading itself: one reader at a time.
    private let state = Lock<State?>(nil, rank: .directoryReader)

    private final class State {
        var entries = DirectoryEntries()
        /// The offset of the next entry that `entries` gives.
        var position: Int64 = 0
        /// An entry that was given and not taken.
        var held: DirectoryEntries.Entry?
    }

    /// One name of a directory.
    public struct Item {
        public let name: FileName
        public let inode: UInt64
        /// Type bits only; 0 where the file system does not say.
        public let mode: UInt32
        /// Where to go on after it.
        public let next: Int64
    }

    init(owning descriptor: Int32, of directory: InodeNumber, handles: HandleShare) {
        self.descriptor = descriptor
        self.directory = directory
        self.handles = handles
    }

    deinit {
        _ = lx_close(descriptor)
        handles.giveBack()
    }

    /// Gives the names from `offset` on (0: the start) to `take`, until it returns false or the end.
    /// A name that was not taken comes first the next time.
    public func read(
        from offset: Int64, _ take: (Item) throws(Errno) -> Bool
    ) throws(Errno) {
        try state.withLock { (slot: inout State?) throws(Errno) in
            let state = slot ?? State()
            slot = state
            try seek(state, to: offset)
            while true {
                if state.held == nil { state.held = try state.entries.next(of: descriptor) }
                guard let entry = state.held else { return }
                let item = Item(name: entry.name, inode: entry.inode, mode: entry.mode, next: entry.next)
                if try !take(item) { return }
                state.held = nil
                state.position = entry.next
            }
        }
    }

    private func seek(_ state: State, to offset: Int64) throws(Errno) {
        // Offset 0 is rewinddir(3): what is buffered may be old.
        if offset == state.position && offset != 0 { return }
        state.entries.reset()
        state.held = nil
        try valueOrErrno(lx_lseek(descriptor, offset, 0))
        state.position = offset
    }

    /// Which directory of the backing file system it is.
    public var identity: FileIdentity {
        get throws(Errno) { try ItemStamp(of: descriptor).identity }
    }

    /// Makes the directory's names durable.
    public func sync() throws(Errno) { try retrying { lx_fsync(descriptor, 0) } }

    /// Makes all durable that was written to its file system until now.
    public func syncFileSystem() throws(Errno) { try retrying { lx_syncfs(descriptor) } }
}

extension HomeTree {
    /// Opens a directory for reading. Errors as open(2); ENFILE beyond the share.
    public func openDirectory(_ number: InodeNumber) throws(Errno) -> DirectoryReader {
        try openDirectory(number, isNoticed: true)
    }

    private func openDirectory(_ number: InodeNumber, isNoticed: Bool) throws(Errno) -> DirectoryReader {
        guard handles.take() else { throw .tooManyOpenFilesInSystem }
        do throws(Errno) {
            let names = try openNames(of: number, isNoticed: isNoticed)
            return DirectoryReader(owning: names, of: number, handles: handles)
        } catch {
            handles.giveBack()
            throw error
        }
    }

    /// - Parameter isNoticed: whether a program asked for it: its access time may move.
    private func openNames(of number: InodeNumber, isNoticed: Bool) throws(Errno) -> Int32 {
        try inodes.withDirectory(number) { (path) throws(Errno) in
            try budget.retryingWithRoom {
                let opened =
                    isNoticed
                    ? lx_openat(path, ".", lx_o_directory, 0) : lx_open_unnoticed(path, ".")
                // "." takes the right to search, which a reader need not have.
                let isRefused = opened == -Errno.permissionDenied.rawValue
                return isRefused ? lx_reopen(path, lx_o_directory) : opened
            }
        }
    }

    /// Gives the names in a directory, without "." and "..", to `take`, until it returns false. Takes no lock
    /// of a reader, under which it may be called, and no handle of the tree's share. Moves no access time.
    func readNames(
        of number: InodeNumber, _ take: (FileName) throws(Errno) -> Bool
    ) throws(Errno) {
        let opened = Descriptor(owning: try openNames(of: number, isNoticed: false))
        var entries = DirectoryEntries()
        while let entry = try entries.next(of: opened.raw) {
            if entry.name.isDotOrDotDot { continue }
            if try !take(entry.name) { return }
        }
    }

    /// The names in a directory, without "." and "..", as they are stored.
    /// - Parameter isWanted: by a name and the number of the backing file system.
    public func names(
        in directory: InodeNumber, where isWanted: (FileName, UInt64) -> Bool = { _, _ in true }
    ) throws(Errno) -> [[CChar]] {
        var names: [[CChar]] = []
        try openDirectory(directory, isNoticed: false).read(from: 0) { (item) throws(Errno) in
            if !item.name.isDotOrDotDot, isWanted(item.name, item.inode) {
                names.append(item.name.terminated)
            }
            return true
        }
        return names
    }

    /// The numbers of the backing file system and the names of all that is in a directory.
    public func backingNumbers(in directory: InodeNumber) throws(Errno) -> [(
        name: [UInt8], inode: UInt64, isDirectory: Bool
    )] {
        var entries: [(name: [UInt8], inode: UInt64, isDirectory: Bool)] = []
        try openDirectory(directory, isNoticed: false).read(from: 0) { (item) throws(Errno) in
            if !item.name.isDotOrDotDot {
                let isDirectory = item.mode & FileMode.typeMask == FileMode.directory
                entries.append((Array(item.name.bytes), item.inode, isDirectory))
            }
            return true
        }
        return entries
    }
}

extension [CChar] {
    /// Whether a name begins with these characters of ASCII.
    public func hasPrefix(_ prefix: String) -> Bool {
        lazy.map { UInt8(bitPattern: $0) }.starts(with: prefix.utf8)
    }

    /// Runs `body` with these bytes, which end with a NUL, as a borrowed name.
    public func withFileName<R, E: Error>(_ body: (FileName) throws(E) -> R) throws(E) -> R {
        try withUnsafeBufferPointer { (buffer) throws(E) -> R in
            guard let start = buffer.baseAddress else { preconditionFailure("a name has its NUL") }
            return try body(FileName(start))
        }
    }
}

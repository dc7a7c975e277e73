internal import CLinux
internal import Databases
internal import HomeTree
internal import Posix
internal import SyncContent
internal import SystemPackage

/// A file that is being written in the staging directory of a home.
// Unchecked: everything mutable is in `state`, a lock, and used by the engine's thread alone.
final class StagedCopy: StagedFile, @unchecked Sendable {
    let name: String
    let inode: InodeNumber
    private let tree: HomeTree
    private let state: Lock<State>

    private struct State {
        var handle: FileHandle?
        var offset: Int64 = 0
        /// As many as tell a database.
        var firstBytes: [UInt8] = []
        var hasAttributes = false
        /// It lies elsewhere now: what has its name in staging is not it.
        var isPlaced = false
    }

    init(_ name: String, in tree: HomeTree) throws(LocalError) {
        self.name = name
        self.tree = tree
        let (found, handle) = try LocalError.from { () throws(Errno) in
            try tree.refuseGrowth()
            let status = try tree.attributes(of: tree.home)
            return try StagingName.of(name).withFileName { (name) throws(Errno) in
                try tree.create(
                    name, in: tree.staging, mode: 0o600, flags: lx_o_rdwr | lx_o_creat | lx_o_excl,
                    owner: Owner(uid: status.st_uid, gid: status.st_gid))
            }
        }
        inode = found.inode
        state = Lock(State(handle: handle))
    }

    deinit {
        closeHandle()
        if !state.withLock(\.isPlaced) {
            _ = try? StagingName.of(name).withFileName { (name) throws(Errno) in
                try tree.removeFile(name, in: tree.staging)
            }
        }
        tree.forget(inode)
    }

    func append(_ bytes: [UInt8]) throws(LocalError) {
        guard let (handle, offset) = state.withLock({ state in state.handle.map { ($0, state.offset) } })
        else { throw LocalError(.badFileDescriptor) }
        try LocalError.from { () throws(Errno) in
            try FileTree.write(handle.descriptor, bytes, offset: offset)
        }
        state.withLock { state in
            state.offset += Int64(bytes.count)
            state.firstBytes += bytes.prefix(DatabaseFile.headerBytes - state.firstBytes.count)
        }
    }

    var isDatabase: Bool { state.withLock { DatabaseFile.isDatabase(header: $0.firstBytes) } }

    /// Sets attributes, makes all durable, and closes: nobody has it open for writing from then on.
    func finish(_ attributes: TravellingAttributes) throws(LocalError) {
        guard let handle = state.withLock(\.handle) else { return }
        try dress(handle, attributes)
        try LocalError.from { () throws(Errno) in try tree.sync(handle, dataOnly: false) }
        closeHandle()
    }

    /// As `finish` begins: the bytes are on their way to the disk, and nobody waits for them.
    func write(_ attributes: TravellingAttributes) throws(LocalError) {
        guard let handle = state.withLock(\.handle) else { return }
        try dress(handle, attributes)
        _ = try LocalError.from { () throws(Errno) in try valueOrErrno(lx_start_writeback(handle.descriptor))
        }
    }

    private func dress(_ handle: FileHandle, _ attributes: TravellingAttributes) throws(LocalError) {
        if state.withLock(\.hasAttributes) { return }
        try LocalError.from { () throws(Errno) in try tree.applyUnseen(attributes, through: handle) }
        state.withLock { $0.hasAttributes = true }
    }

    func setFlag() throws(LocalError) {
        try LocalError.from { () throws(Errno) in try tree.setSkipBackup(inode) }
    }

    func markPlaced() { state.withLock { $0.isPlaced = true } }

    private func closeHandle() {
        let handle = state.withLock { state in
            defer { state.handle = nil }
            return state.handle
        }
        if let handle { tree.close(handle, of: inode) }
    }
}

internal import Backup
internal import CLinux
package import FuseKit
package import Posix
package import SystemPackage

extension BackupFileSystem {
    package func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened {
        if flags & (lx_o_accmode | lx_o_trunc) != 0 { throw .readOnlyFileSystem }
        var file = try openFile(node)
        var mode = file.grows ? IOMode.direct : .cached
        if let descriptor = file.descriptor {
            file.isCounted = true
            if let backing = backings.take(descriptor, for: node) { mode = .passthrough(backing: backing) }
        }
        return Opened(handle: files.add(file), mode: mode, keepsCache: true)
    }

    /// What the kernel reads moves an access time, unless none moves on the mount that the file was opened
    /// on: flags of who opened it are not looked at.
    package func start(_ passthrough: Passthrough) throws(PassthroughRefusal) {
        guard leavesNoTrace else { throw .notUsed }
        backings.start(passthrough)
    }

    package func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) {
        guard offset >= 0 else { return reply.error(.invalidArgument) }
        guard let file = files[handle] else { return reply.error(.badFileDescriptor) }
        let (offset, end) = (UInt64(offset), file.sizeBytes)
        guard offset < end else { return reply.bytes([]) }
        let count = Int(min(UInt64(sizeBytes), end - offset))
        switch file.content {
        case .bytes(let bytes): reply.bytes(Array(bytes[Int(offset)..<Int(offset) + count]))
        case .blob(let bytes): read(bytes, count, offset, reply)
        }
    }

    private func read(_ bytes: BlobBytes, _ count: Int, _ offset: UInt64, _ reply: consuming ReadReply) {
        // The blob is shorter than its record says: what is not there is not made up.
        guard offset + UInt64(count) <= bytes.sizeBytes else { return reply.error(.ioError) }
        if let descriptor = bytes.plainDescriptor {
            return reply.data(from: descriptor, offset: Int64(offset), sizeBytes: count)
        }
        let read: [UInt8]
        do throws(Errno) { read = try bytes.read(offset: offset, count: count) } catch {
            return reply.error(error)
        }
        reply.bytes(read)
    }

    package func release(_ node: NodeKey, handle: HandleKey) {
        let isCounted = files[handle]?.isCounted ?? false
        files.remove(handle)
        if isCounted { backings.give(node) }
    }

    package func seek(
        _ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32
    ) throws(Errno) -> Int64 {
        try UnbackedItem.seek(
            offset: offset, whence: whence, ofBytes: UInt64(try facts(node).sizeBytes))
    }
}

/// The backing files that the kernel reads itself: one for each node, however often it is open. A node that
/// was first opened otherwise stays so until nobody has it open: the kernel knows only one way at a time.
final class Backings: Sendable {
    private struct Use {
        /// The kernel's number; nil where reads are requests.
        let number: Int32?
        var count = 1
    }

    private struct State {
        var passthrough: Passthrough?
        var open: [NodeKey: Use] = [:]
    }

    private let state = Lock(State())

    func start(_ passthrough: Passthrough) { state.withLock { $0.passthrough = passthrough } }

    /// Counts an open of a node.
    /// - Returns: the kernel's number for its file; nil where reads are requests.
    func take(_ file: Int32, for node: NodeKey) -> Int32? {
        state.withLock { state in
            if let there = state.open[node] {
                state.open[node]?.count += 1
                return there.number
            }
            let number = state.passthrough?.openBacking(file) ?? -1
            let use = Use(number: number > 0 ? number : nil)
            state.open[node] = use
            return use.number
        }
    }

    func give(_ node: NodeKey) {
        state.withLock { state in
            guard let there = state.open[node] else { return }
            if there.count > 1 {
                state.open[node]?.count -= 1
            } else {
                state.open[node] = nil
                if let number = there.number { state.passthrough?.closeBacking(number) }
            }
        }
    }
}

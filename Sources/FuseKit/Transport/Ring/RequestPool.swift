internal import CFuse
internal import Posix
internal import SystemPackage

/// Threads for requests that may wait for a disk or a network: on a queue's own thread one would hold up
/// every caller of that CPU. They are made when there is something to do, and end when there is nothing more.
final class RequestPool: Sendable {
    private let connection: Connection
    private let state = Gate(State())

    private struct State {
        var slots: [RingSlot] = []
        var threadCount = 0
    }

    private static let largestCount = 8

    init(_ connection: Connection) { self.connection = connection }

    /// Requests that wait as a rule, or by what the file system says.
    static func mayWait(_ opcode: UInt32, _ slot: RingSlot, _ core: SessionCore) -> Bool {
        var node: NodeKey { core.nodes.node(slot.node) }
        return switch fuse_opcode(opcode) {
        case FUSE_FSYNC, FUSE_FSYNCDIR, FUSE_FALLOCATE, FUSE_COPY_FILE_RANGE: true
        case FUSE_LOOKUP, FUSE_GETATTR, FUSE_OPEN, FUSE_READLINK, FUSE_LSEEK, FUSE_READDIR, FUSE_READDIRPLUS,
            FUSE_LISTXATTR:
            core.fileSystem.isSlow(at: node)
        case FUSE_GETXATTR: core.fileSystem.isSlow(attribute: slot.attributeName, of: node)
        default: false
        }
    }

    /// Has a thread of the pool serve what `slot` holds.
    /// - Returns: false where there is no such thread, and none can be made.
    func add(_ slot: RingSlot) -> Bool {
        let needsThread = state.update { state -> Bool in
            state.slots.append(slot)
            guard state.threadCount < RequestPool.largestCount else { return false }
            state.threadCount += 1
            return true
        }
        return !needsThread || addThread(for: slot)
    }

    private func addThread(for slot: RingSlot) -> Bool {
        if let worker = Worker() {
            do throws(Errno) {
                try NativeThread(name: connection.core.options.name) { worker.run(self.serveAll) }.detach()
                return true
            } catch {}
        }
        return state.update { state in
            state.threadCount -= 1
            if state.threadCount > 0 { return true }
            state.slots.removeAll { $0 === slot }
            return false
        }
    }

    /// Waits until every thread has ended.
    func waitUntilIdle() { _ = state.wait { $0.threadCount == 0 ? true : nil } }

    private func serveAll(_ worker: Worker) {
        while let slot = next() { slot.serve(connection, worker) }
    }

    private func next() -> RingSlot? {
        state.update { state in
            if state.slots.isEmpty {
                state.threadCount -= 1
                return nil
            }
            return state.slots.removeFirst()
        }
    }
}

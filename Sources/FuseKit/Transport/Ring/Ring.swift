internal import Posix
internal import SystemPackage

/// FUSE over io_uring: one queue for each CPU, each with a thread on that CPU, so that a request is served
/// where its caller runs and nobody has to be woken on another CPU.
///
/// Until every queue has offered its entries the kernel makes requests wait; so the threads are made before
/// the answer to INIT promises them.
final class Ring: Sendable {
    private let queues: [RingQueue]
    private let pool: RequestPool

    /// Makes the queues and their threads, which wait for `begin`.
    /// - Parameter refused: called at most once, from a queue's thread, where the kernel does not take an
    ///   entry.
    /// - Throws: what the first queue failed with; nothing is left then.
    init(_ connection: Connection, refused: @escaping @Sendable (Errno) -> Void) throws(Errno) {
        pool = RequestPool(connection)
        var queues: [RingQueue] = []
        do throws(Errno) {
            for index in 0..<RingSupport.queueCount {
                queues.append(try RingQueue(index: index, connection, pool, refused: refused))
            }
            for queue in queues { try queue.waitUntilPrepared() }
        } catch {
            for queue in queues { queue.cancel() }
            throw error
        }
        self.queues = queues
    }

    /// The entry whose request this is; nil for one that did not come by the ring.
    func slot(holding unique: UInt64) -> RingSlot? {
        for queue in queues {
            if let slot = queue.slot(holding: unique) { return slot }
        }
        return nil
    }

    /// Offers all entries: the kernel has taken the answer to INIT.
    func begin() { for queue in queues { queue.begin() } }

    /// Ends without having begun.
    func cancel() { for queue in queues { queue.cancel() } }

    /// Waits until the kernel has given all entries back and the threads have ended.
    func waitUntilEnded() {
        for queue in queues { queue.waitUntilEnded() }
        pool.waitUntilIdle()
    }
}

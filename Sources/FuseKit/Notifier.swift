internal import CFuse
internal import Posix
internal import SystemPackage

/// Something that the kernel must forget.
public enum Invalidation: Sendable {
    /// `name` in `directory` stands for something else now, or for nothing.
    case entry(name: [UInt8], directory: NodeKey)
    /// Attributes and cached contents (for a directory: its listing) of `node`.
    case contents(NodeKey)
    /// Nothing has changed, but `name` in `directory` is to be looked up before it is used again. What is mounted
    /// there stays.
    case lookup(name: [UInt8], directory: NodeKey)
}

/// Sends invalidations from a thread of its own.
///
/// The kernel may make the sender wait for as long as a request in that directory is unanswered, so no
/// thread that serves requests may send one, nor one that holds a lock.
// Unchecked: `session` is used by the one thread only, which `stop` joins; `thread` is touched under `queue`.
final class Notifier: @unchecked Sendable {
    private let session: OpaquePointer
    private let core: SessionCore
    private let descriptor: Int32
    private let queue = Gate<Queue>(Queue())

    private struct Job {
        let invalidations: [Invalidation]
        let whenSent: @Sendable () -> Void
    }

    private struct Queue {
        var pending: [Job] = []
        var enqueuedCount = 0
        var sentCount = 0
        var isStarted = false
        var isStopping = false
        var isRunning = false
    }

    /// - Parameter descriptor: the session's `/dev/fuse`.
    init(session: OpaquePointer, core: SessionCore, descriptor: Int32) {
        self.session = session
        self.core = core
        self.descriptor = descriptor
    }

    /// - Parameter whenSent: called once the kernel has taken them, or will not.
    func send(_ invalidations: [Invalidation], whenSent: @escaping @Sendable () -> Void = {}) {
        let starts = queue.update { queue -> Bool in
            if queue.isStopping { return false }
            queue.pending.append(Job(invalidations: invalidations, whenSent: whenSent))
            queue.enqueuedCount += 1
            defer { queue.isStarted = true }
            return !queue.isStarted
        }
        if starts { startThread() }
    }

    /// Waits until every invalidation so far was sent; false after the timeout.
    func waitUntilSent(timeoutSeconds: Double) -> Bool {
        let target = queue.update { $0.enqueuedCount }
        return queue.wait(timeoutSeconds: timeoutSeconds) { queue in
            queue.sentCount >= target || queue.isStopping ? true : nil
        } ?? false
    }

    /// Ends the thread; what is still pending is dropped, for the mount is gone.
    func stop() {
        queue.update { $0.isStopping = true }
        _ = queue.wait { $0.isRunning ? nil : true }
    }

    private func startThread() {
        queue.update { $0.isRunning = true }
        do throws(Errno) {
            try NativeThread(name: "notifier") { self.run() }.detach()
        } catch {
            // No thread to be had: give up on this batch, and try again with the next.
            let dropped = queue.update { queue -> [Job] in
                queue.sentCount = queue.enqueuedCount
                queue.isStarted = false
                queue.isRunning = false
                defer { queue.pending = [] }
                return queue.pending
            }
            for job in dropped { job.whenSent() }
        }
    }

    private func run() {
        while true {
            let batch = queue.wait { queue -> [Job]? in
                if queue.isStopping { return [] }
                if queue.pending.isEmpty { return nil }
                defer { queue.pending = [] }
                return queue.pending
            }
            guard let batch, !batch.isEmpty else { break }
            for job in batch {
                for invalidation in job.invalidations { tell(invalidation) }
                job.whenSent()
            }
            queue.update { $0.sentCount += batch.count }
        }
        queue.update { $0.isRunning = false }
    }

    /// ENOENT means that the kernel knows nothing of it: nothing to forget.
    private func tell(_ invalidation: Invalidation) {
        switch invalidation {
        case .entry(let name, let directory):
            let number = core.nodes.number(of: directory)
            // libfuse sends the NUL after the name too.
            (name + [0]).withUnsafeBytes { bytes in
                let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                _ = fuse_lowlevel_notify_inval_entry(session, number, start, name.count)
            }
        case .contents(let node):
            _ = fuse_lowlevel_notify_inval_inode(session, core.nodes.number(of: node), 0, 0)
        case .lookup(let name, let directory):
            ExpiryNotice(name: name, directory: core.nodes.number(of: directory)).send(to: descriptor)
        }
    }
}

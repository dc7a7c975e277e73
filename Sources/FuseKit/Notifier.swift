internal import CFuse
internal import CLinux
internal import Posix
internal import SystemPackage

/// Something that the kernel must forget.
public enum Invalidation: Sendable {
    /// `name` in `directory` stands for something else now, or for nothing.
    case entry(name: [UInt8], directory: NodeKey)
    /// Attributes and cached contents (for a directory: its listing) of `node`.
    case contents(NodeKey)
    /// Nothing has changed, but `name` in `directory` is to be looked up before it is used again. What is
    /// mounted there stays.
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
        /// By the clock that nobody sets; 0: at once.
        var notBefore: Int64 = 0
    }

    private struct Queue {
        var pending: [Job] = []
        var enqueuedCount = 0
        var sentCount = 0
        var isStarted = false
        var isStopping = false
        var isRunning = false

        mutating func takeDue() -> [Job] {
            if !pending.contains(where: { $0.notBefore > 0 }) { return takeAll() }
            let now = lx_monotonic_nanoseconds()
            defer { pending.removeAll { $0.notBefore <= now } }
            return pending.filter { $0.notBefore <= now }
        }

        mutating func takeAll() -> [Job] {
            defer { pending = [] }
            return pending
        }

        /// nil where nothing is pending.
        var secondsToNext: Double? {
            let next = pending.map(\.notBefore).min()
            return next.map { Double(max(0, $0 - lx_monotonic_nanoseconds())) / 1e9 }
        }
    }

    /// - Parameter descriptor: the session's `/dev/fuse`.
    init(session: OpaquePointer, core: SessionCore, descriptor: Int32) {
        self.session = session
        self.core = core
        self.descriptor = descriptor
    }

    /// - Parameters:
    ///   - delaySeconds: how long it waits before it sends them.
    ///   - whenSent: called once the kernel has taken them, or will not.
    func send(
        _ invalidations: [Invalidation], afterSeconds delaySeconds: Double = 0,
        whenSent: @escaping @Sendable () -> Void = {}
    ) {
        var job = Job(invalidations: invalidations, whenSent: whenSent)
        if delaySeconds > 0 { job.notBefore = lx_monotonic_nanoseconds() + Int64(delaySeconds * 1e9) }
        let starts = queue.update { queue -> Bool? in
            if queue.isStopping { return nil }
            queue.pending.append(job)
            queue.enqueuedCount += 1
            defer { queue.isStarted = true }
            return !queue.isStarted
        }
        guard let starts else { return whenSent() }
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
                return queue.takeAll()
            }
            for job in dropped { job.whenSent() }
        }
    }

    private enum Turn {
        case send([Job])
        case wait(seconds: Double)
        case end
    }

    private func run() {
        var pauseSeconds: Double?
        loop: while true {
            let pause = pauseSeconds
            let turn = queue.wait(timeoutSeconds: pause) { queue -> Turn? in
                if queue.isStopping { return .end }
                let due = queue.takeDue()
                if !due.isEmpty { return .send(due) }
                // What is not due yet is waited for with an end.
                return pause == nil ? queue.secondsToNext.map { .wait(seconds: $0) } : nil
            }
            pauseSeconds = nil
            switch turn {
            case .send(let batch): send(batch)
            case .wait(let seconds): pauseSeconds = seconds
            case .end: break loop
            case nil: break
            }
        }
        queue.update { $0.isRunning = false }
    }

    private func send(_ batch: [Job]) {
        for job in batch {
            for invalidation in job.invalidations { tell(invalidation) }
            job.whenSent()
        }
        queue.update { $0.sentCount += batch.count }
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

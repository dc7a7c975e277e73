internal import Posix
package import SystemPackage

/// The product's executor: one thread at the lowest priority, so that sync never takes a processor from an
/// app. It ends when nobody holds it any more.
package final class EngineThread: EngineExecutor {
    private struct Queue {
        var jobs: [UnownedJob] = []
        var isEnding = false
    }

    private let queue = Gate(Queue())

    /// - Parameter yields: false: at the priority of whoever makes it.
    /// - Throws: EAGAIN where no more threads may be made.
    package init(yields: Bool = true) throws(Errno) {
        let queue = queue
        let thread = try NativeThread(name: "sync") { [weak self] in
            if yields { NativeThread.yieldToOthers() }
            while let jobs = queue.wait(until: Self.takeJobs), !jobs.isEmpty {
                for job in jobs { self?.run(job) }
            }
        }
        thread.detach()
    }

    deinit { queue.update { $0.isEnding = true } }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.update { $0.jobs.append(job) }
    }

    /// Nil while there is nothing to do; empty at the end.
    private static func takeJobs(_ queue: inout Queue) -> [UnownedJob]? {
        guard queue.jobs.isEmpty else {
            defer { queue.jobs = [] }
            return queue.jobs
        }
        return queue.isEnding ? [] : nil
    }

    private func run(_ job: UnownedJob) {
        job.runSynchronously(
            isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    }
}

internal import CloudSync

/// Runs every job of a world on the one thread that calls `run`, in the order they came: with it the same
/// seed gives the same interleaving.
// Unchecked: a world lives on one thread, which alone enqueues and runs.
final class WorldExecutor: EngineExecutor, @unchecked Sendable {
    private var jobs: [UnownedJob] = []
    private var next = 0

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.append(UnownedJob(job))
    }

    /// Runs until no job is ready.
    /// - Returns: false where more than `limit` jobs did not make it so: somebody turns in a circle.
    func run(limit: Int) -> Bool {
        var count = 0
        while next < jobs.count {
            guard count < limit else { return false }
            count += 1
            let job = jobs[next]
            next += 1
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
        jobs.removeAll(keepingCapacity: true)
        next = 0
        return true
    }
}

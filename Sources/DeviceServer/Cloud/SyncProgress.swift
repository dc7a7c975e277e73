/// How near a sync came to its end, from step to step. Bytes alone do not count: the same ones may be sent or
/// fetched again and again.
struct SyncProgress {
    private static let patienceNanoseconds: UInt64 = 30_000_000_000
    /// A step may take long by itself.
    private static let patienceSteps = 3

    private var cursor: UInt64?
    private var fewestDownloads = Int.max
    private var movedAt: UInt64
    private var stepsSince = 0
    /// Something has moved since the first step.
    private(set) var hasBegun = false

    init(at now: UInt64) { movedAt = now }

    /// Takes in how far the log is, and how many downloads are left, after a step; times by `SyncClock.now`.
    mutating func note(cursor newest: UInt64, downloads: Int, at now: UInt64) {
        let isFirst = cursor == nil
        let isFurther = newest > cursor ?? 0
        guard isFirst || isFurther || downloads < fewestDownloads else {
            stepsSince += 1
            return
        }
        // What others add to the log has to come down too.
        fewestDownloads = downloads
        cursor = max(newest, cursor ?? 0)
        (movedAt, stepsSince) = (now, 0)
        hasBegun = hasBegun || !isFirst
    }

    /// Nothing has moved for long.
    func isStuck(at now: UInt64) -> Bool {
        stepsSince >= Self.patienceSteps && now >= movedAt &+ Self.patienceNanoseconds
    }
}

/// The threads that read `/dev/fuse` for one session: who counts as running, and when it is over.
///
/// Once all have ended the session is destroyed, so none may begin after that: a ring that the kernel refuses
/// while the mount goes wants more readers at that very moment.
struct ReaderThreads<Thread> {
    private var threads: [Thread] = []
    /// Counts each thread from before it is made, and its maker until the thread is listed here.
    private var running = 0
    private var isClosed = false

    /// Whether no thread reads, and none is being made.
    var isIdle: Bool { running == 0 }

    /// To be called before a thread is made.
    /// - Returns: false where all have ended: no thread may be made.
    mutating func begin() -> Bool {
        guard !isClosed else { return false }
        running += 2
        return true
    }

    /// To be called by who has made a thread, after `begin`; nil: it could not be made.
    mutating func list(_ thread: Thread?) {
        if let thread { threads.append(thread) }
        running -= thread == nil ? 2 : 1
    }

    /// To be called by a thread as its last step.
    mutating func end() { running -= 1 }

    /// Lets no thread begin any more, where all have ended.
    /// - Returns: those that ran, each given out once, to be joined; nil while one runs.
    mutating func close() -> [Thread]? {
        guard isIdle else { return nil }
        isClosed = true
        defer { threads = [] }
        return threads
    }
}

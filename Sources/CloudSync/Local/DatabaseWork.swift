internal import Databases
internal import Posix
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// The helper's work on databases. It may take minutes, and other apps sync on the thread that asks for it:
/// what takes longer than a moment goes on by itself, and a later look at the same database takes up what
/// came of it.
final class DatabaseWork: Sendable {
    enum Task: Hashable, Sendable {
        case copy
        case checkpoint
    }

    /// What a copy is made of, and where to.
    struct Copy: Sendable {
        /// The database's own, with what lies beside it, as it was when the copy began.
        let fingerprint: Fingerprint
        let file: SharedDescriptor
        /// By `SyncClock.now`.
        let began: UInt64
    }

    private struct Work: Hashable, Sendable {
        let task: Task
        let path: LocalPath
    }

    enum Found {
        case nothing
        case isUnderWay
        /// It is taken: nobody finds it again. With a copy where that was the task.
        case ended(DatabaseOutcome, Copy?)
    }

    private struct State {
        /// The value: whoever began it waits for its end.
        var running: [Work: Bool] = [:]
        var ended: [(work: Work, outcome: DatabaseOutcome, copy: Copy?)] = []
        /// Somebody was woken, and did not look since.
        var hasNews = false

        mutating func take(_ work: Work) -> (DatabaseOutcome, Copy?)? {
            guard let index = ended.firstIndex(where: { $0.work == work }) else { return nil }
            let taken = ended.remove(at: index)
            return (taken.outcome, taken.copy)
        }
    }

    /// So many helpers at a time, and so much that came of them and was not taken up.
    private static let most = 4

    private let access: any DatabaseAccess
    private let momentSeconds: Double?
    private let wake: @Sendable () -> Void
    /// Leaf.
    private let state = Gate(State())

    /// - Parameters:
    ///   - momentSeconds: so long it is waited for; nil: to its end.
    ///   - wake: something ended that nobody waits for. From any thread.
    init(_ access: any DatabaseAccess, momentSeconds: Double?, wake: @escaping @Sendable () -> Void) {
        self.access = access
        self.momentSeconds = momentSeconds
        self.wake = wake
    }

    func find(_ task: Task, of path: LocalPath) -> Found {
        let work = Work(task: task, path: path)
        return state.update { state in
            if let (outcome, copy) = state.take(work) { return .ended(outcome, copy) }
            return state.running[work] == nil ? .nothing : .isUnderWay
        }
    }

    /// Begins what is neither under way nor ended.
    /// - Parameter copy: nil: its log is to be checkpointed.
    /// - Returns: nil where it goes on, or is to be begun later.
    func begin(_ path: LocalPath, _ copy: Copy?) -> DatabaseOutcome? {
        let work = Work(task: copy == nil ? .checkpoint : .copy, path: path)
        let mayBegin = state.update { state in
            guard state.running.count < Self.most else { return false }
            state.running[work] = true
            return true
        }
        guard mayBegin else { return nil }
        do throws(Errno) {
            try NativeThread(name: "database") { [self] in run(work, copy) }.detach()
        } catch {
            _ = state.update { $0.running.removeValue(forKey: work) }
            return .failed
        }
        if let ended = state.wait(timeoutSeconds: momentSeconds, until: { $0.take(work) }) { return ended.0 }
        return state.update { state in
            // It may have ended just now.
            if let ended = state.take(work) { return ended.0 }
            state.running[work] = false
            return nil
        }
    }

    /// Whether something ended since `hearNews`, of which somebody was woken.
    var hasNews: Bool { state.update { $0.hasNews } }

    func hearNews() { state.update { $0.hasNews = false } }

    private func run(_ work: Work, _ copy: Copy?) {
        let outcome = copy.map { access.copy(work.path, to: $0.file.raw) } ?? access.checkpoint(work.path)
        let isAwaited = state.update { state in
            state.ended.append((work, outcome, copy))
            // A file that was deleted meanwhile is asked for no more.
            state.ended.removeFirst(max(0, state.ended.count - Self.most))
            let isAwaited = state.running.removeValue(forKey: work) ?? false
            if !isAwaited { state.hasNews = true }
            return isAwaited
        }
        if !isAwaited { wake() }
    }
}

internal import CLinux
internal import Glibc
public import Posix
internal import SystemPackage

/// Runs the helper process for databases of a home that is mounted: through the mount it meets the app's own
/// locks, which exist nowhere else, and no descriptor of the daemon's drops them (SYNC.md 5).
public final class DatabaseHelper: Sendable {
    private let program: String
    private let rights: UserRights?
    /// Leaf.
    private let state = Lock(State())

    private struct State {
        /// The database of each helper that runs, by its process.
        var running: [Int32: String] = [:]
        /// None begins before this, by CLOCK_MONOTONIC in nanoseconds.
        var notBefore: UInt64 = 0
    }

    /// - Parameters:
    ///   - program: one that calls `DatabaseTool` where it is told to; the daemon's own.
    ///   - rights: for root who serves a user: the helper is that user's process.
    public init(program: String = "/proc/self/exe", rights: UserRights? = nil) {
        self.program = program
        self.rights = rights
    }

    /// Copies the database at `path` to the start of `target`. Waits for it, five minutes at most.
    public func copy(_ path: String, to target: Int32) -> DatabaseOutcome { run(.copy, path, target) }

    /// Has the log of the database at `path` checkpointed and removed, and a journal rolled back.
    public func checkpoint(_ path: String) -> DatabaseOutcome { run(.checkpoint, path, nil) }

    /// Ends what runs, and begins no other for some seconds: for who unmounts.
    public func interrupt(forSeconds seconds: UInt64 = 10) {
        state.withLock { state in
            state.notBefore = Self.now + seconds * 1_000_000_000
            for process in state.running.keys { Self.end(process) }
        }
    }

    /// Ends what works on databases below the directory `path`: for who begins to show it elsewhere, where
    /// locks of the one place are not seen in the other.
    public func interrupt(below path: String) {
        state.withLock { state in
            let below = state.running.filter { $0.value.isPath(in: path) }
            for process in below.keys { Self.end(process) }
        }
    }

    /// A process in the table is not waited for yet, so the number is its own.
    private static func end(_ process: Int32) { kill(process, SIGKILL) }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func run(_ task: DatabaseTool.Task, _ path: String, _ target: Int32?) -> DatabaseOutcome {
        do throws(Errno) {
            let null = try Descriptor("/dev/null", flags: lx_o_rdwr)
            let raw = null.raw
            let user = rights.map { ["\($0.userID)", "\($0.groupID)"] } ?? []
            let child = try state.withLock { (state) throws(Errno) -> Child? in
                if Self.now < state.notBefore { return nil }
                let child = try Child(
                    program, arguments: [DatabaseTool.argument, task.rawValue, path] + user,
                    environment: ["SWIFT_BACKTRACE=enable=no"],
                    descriptors: [raw, raw, raw] + (target.map { [$0] } ?? []))
                state.running[child.processID] = path
                return child
            }
            guard let child else { return .busy }
            var information = siginfo_t()
            while waitid(P_PID, id_t(child.processID), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR
            {}
            state.withLock { _ = $0.running.removeValue(forKey: child.processID) }
            return DatabaseOutcome(rawValue: try child.wait()) ?? .failed
        } catch {
            return .failed
        }
    }
}

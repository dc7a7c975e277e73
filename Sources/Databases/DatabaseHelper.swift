internal import CLinux
public import Posix
internal import SystemPackage

/// Runs the helper process for databases of a home that is mounted: through the mount it meets the app's own
/// locks, which exist nowhere else, and no descriptor of the daemon's drops them (SYNC.md 5).
public final class DatabaseHelper: Sendable {
    private let program: String
    private let rights: UserRights?
    private let limitSeconds: Double
    private let starter = HelperStarter()
    /// Leaf.
    private let state = Gate(State())

    private struct State {
        /// Helpers that run and are not waited for, each with its database.
        var running: [(child: Child, path: String)] = []
        /// None begins before this, by CLOCK_MONOTONIC in nanoseconds.
        var notBefore: UInt64 = 0
    }

    /// Helpers have the priority of the thread that calls this.
    /// - Parameters:
    ///   - program: one that calls `DatabaseTool` where it is told to; the daemon's own.
    ///   - rights: for root who serves a user: the helper is that user's process.
    ///   - limitSeconds: after which it is ended; it ends itself before, unless that user has stopped it.
    public init(
        program: String = "/proc/self/exe", rights: UserRights? = nil, limitSeconds: Double = 310
    ) {
        self.program = program
        self.rights = rights
        self.limitSeconds = limitSeconds
    }

    /// Copies the database at `path` to the start of `target`. Waits for it, some five minutes at most.
    public func copy(_ path: String, to target: Int32) -> DatabaseOutcome { run(.copy, path, target) }

    /// Has the log of the database at `path` checkpointed and removed, and a journal rolled back.
    public func checkpoint(_ path: String) -> DatabaseOutcome { run(.checkpoint, path, nil) }

    /// Ends what runs, and begins no other for some seconds: for who unmounts.
    public func interrupt(forSeconds seconds: UInt64 = 10) {
        state.update { state in
            state.notBefore = Self.now + seconds * 1_000_000_000
            for running in state.running { running.child.end() }
        }
        _ = state.wait(timeoutSeconds: Self.endSeconds) { $0.running.isEmpty ? true : nil }
    }

    /// How long what was killed may take to let go of its files.
    private static let endSeconds = 2.0

    /// Ends what works on databases below the directory `path`: for who begins to show it elsewhere, where
    /// locks of the one place are not seen in the other.
    public func interrupt(below path: String) {
        state.update { state in
            for running in state.running where running.path.isPath(in: path) { running.child.end() }
        }
    }

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
            let state = state
            let program = program
            let child = try starter.call {
                state.update { state in
                    Result { () throws(Errno) -> Child? in
                        if Self.now < state.notBefore { return nil }
                        let child = try Child(
                            program, arguments: [DatabaseTool.argument, task.rawValue, path] + user,
                            environment: ["SWIFT_BACKTRACE=enable=no"],
                            descriptors: [raw, raw, raw] + (target.map { [$0] } ?? []))
                        state.running.append((child, path))
                        return child
                    }
                }
            }
            guard let child else { return .busy }
            let isOver = child.isOver(by: Deadline(seconds: limitSeconds))
            state.update { $0.running.removeAll { $0.child.processID == child.processID } }
            guard isOver else { return .failed }
            return DatabaseOutcome(rawValue: try child.wait()) ?? .failed
        } catch {
            return .failed
        }
    }
}

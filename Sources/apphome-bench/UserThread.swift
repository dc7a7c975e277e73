import CLinux
import Posix
import SystemPackage

/// A thread with the rights of one user, that does what others give it: the kernel keeps rights for each
/// thread.
final class UserThread: Sendable {
    private enum Turn {
        case idle
        case job(@Sendable () -> Void)
        case running
        case done
    }

    private let turn = Gate(Turn.idle)

    /// - Parameter userID: nil: those of this process. It lasts as long as the process.
    /// - Throws: EPERM where this process may not act as that user.
    init(userID: UInt32?) throws(Errno) {
        let turn = turn
        try NativeThread(name: "bench/\(userID.map { "\($0)" } ?? "own")") {
            while true {
                Self.runNext(turn)
                turn.update { $0 = .done }
            }
        }.detach()
        guard let userID else { return }
        try run { () throws(Errno) in
            _ = try valueOrErrno(lx_thread_become_for_good(userID, userID, nil, 0))
        }
    }

    /// A function of its own: the job is let go before its giver goes on.
    @inline(never)
    private static func runNext(_ turn: Gate<Turn>) {
        let job = turn.wait { turn -> (@Sendable () -> Void)? in
            guard case .job(let job) = turn else { return nil }
            turn = .running
            return job
        }
        job?()
    }

    /// Runs `body` there, and waits for its end.
    func run<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
        var result: Result<R, Errno>?
        withoutActuallyEscaping(body) { body in
            // The caller waits, so nobody else touches these.
            nonisolated(unsafe) let work = {
                do throws(Errno) { result = .success(try body()) } catch { result = .failure(error) }
            }
            turn.update { $0 = .job { work() } }
            _ = turn.wait { turn -> Bool? in
                guard case .done = turn else { return nil }
                turn = .idle
                return true
            }
        }
        guard let result else { throw .ioError }
        return try result.get()
    }
}

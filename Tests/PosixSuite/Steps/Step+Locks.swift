internal import CLinux
internal import CSuite
internal import Glibc

/// Record locks, open-file-description locks, flock.
extension Step {
    enum LockKind: Sendable {
        case read
        case write
        case none

        var value: Int16 {
            switch self {
            case .read: Int16(F_RDLCK)
            case .write: Int16(F_WRLCK)
            case .none: Int16(F_UNLCK)
            }
        }

        static func name(_ value: Int16) -> String {
            value == Int16(F_RDLCK) ? "read" : (value == Int16(F_WRLCK) ? "write" : "free")
        }
    }

    /// A lock of this process; `length` 0 reaches to every end.
    static func lock(_ key: String, _ kind: LockKind, at start: Int = 0, _ length: Int = 0) -> Step {
        setLock("lock", lx_f_setlk, key, kind, start, length)
    }

    /// As `lock`, waiting for it.
    static func lockWaiting(_ key: String, _ kind: LockKind, at start: Int = 0, _ length: Int = 0) -> Step {
        setLock("lock waiting", lx_f_setlkw, key, kind, start, length)
    }

    /// A lock of the open file description.
    static func lockOpen(_ key: String, _ kind: LockKind, at start: Int = 0, _ length: Int = 0) -> Step {
        setLock("lock open file", lx_f_ofd_setlk, key, kind, start, length)
    }

    private static func setLock(
        _ verb: String, _ command: Int32, _ key: String, _ kind: LockKind, _ start: Int, _ length: Int
    ) -> Step {
        Step(verb) { world in
            var (type, first, count) = (kind.value, Int64(start), Int64(length))
            return Answer.negated(lx_lock(world.descriptor(key), command, &type, &first, &count))
        }
    }

    /// What stands against a lock of this process: "free", or the other lock and its range.
    static func lockInTheWay(_ key: String, _ kind: LockKind, at start: Int = 0, _ length: Int = 0) -> Step {
        askLock("in the way", lx_f_getlk, key, kind, start, length)
    }

    static func openLockInTheWay(_ key: String, _ kind: LockKind, at start: Int = 0, _ length: Int = 0)
        -> Step
    {
        askLock("in the way of open file", lx_f_ofd_getlk, key, kind, start, length)
    }

    private static func askLock(
        _ verb: String, _ command: Int32, _ key: String, _ kind: LockKind, _ start: Int, _ length: Int
    ) -> Step {
        Step(verb) { world in
            var (type, first, count) = (kind.value, Int64(start), Int64(length))
            let result = lx_lock(world.descriptor(key), command, &type, &first, &count)
            if result < 0 { return Answer.name(-result) }
            return type == LockKind.none.value ? "free" : "\(LockKind.name(type)) \(first)+\(count)"
        }
    }

    /// flock(2) without waiting.
    static func flock(_ key: String, _ kind: LockKind) -> Step {
        Step("flock") { world in
            let operation =
                switch kind {
                case .read: LOCK_SH
                case .write: LOCK_EX
                case .none: LOCK_UN
                }
            return Answer.of(lockFile(world.descriptor(key), operation | LOCK_NB))
        }
    }

    /// flock(2), waiting for it.
    static func flockWaiting(_ key: String) -> Step {
        Step("flock waiting") { Answer.of(lockFile($0.descriptor(key), LOCK_EX)) }
    }
}

extension Step {
    /// Waits until a child waits for a lock, as /proc/locks tells; not for ever, since a lock that another
    /// process takes for the child never shows there.
    static func untilBlocked(_ child: String) -> Step {
        Step("child waits") { world in
            guard let pid = world.children[child]?.pid else { return "no child" }
            var pause = timespec(tv_sec: 0, tv_nsec: 1_000_000)
            let deadline = time(nil) + 10
            while !isWaiting(pid) {
                if hasEnded(pid) || time(nil) > deadline { return "no" }
                nanosleep(&pause, nil)
            }
            return "yes"
        }
    }

    /// Leaves it to be reaped.
    private static func hasEnded(_ pid: Int32) -> Bool {
        var information = siginfo_t()
        let result = waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT)
        return result == 0 && information.si_signo == SIGCHLD
    }

    private static func isWaiting(_ pid: Int32) -> Bool {
        guard let locks = fopen("/proc/locks", "re") else { return true }
        defer { fclose(locks) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), locks) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(separator: " ")
            if words.contains("->") && words.contains("\(pid)") { return true }
        }
        return false
    }
}

/// flock(2), which among the steps would name the step, or the structure.
private func lockFile(_ descriptor: Int32, _ operation: Int32) -> Int32 { flock(descriptor, operation) }

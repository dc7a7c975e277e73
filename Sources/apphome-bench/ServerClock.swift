import CLinux
import SystemPackage

/// The CPU time of a process that serves a mount.
///
/// The clock counts what /proc/PID/stat shows as utime and stime, of all threads, in nanoseconds instead of
/// ticks of 10 ms.
struct ServerClock: Sendable {
    private let clock: clockid_t
    /// The kernel's PID_MAX_LIMIT.
    private static let largestProcessID: Int32 = 1 << 22

    /// - Throws: ESRCH where there is no such process.
    init(processID: Int32) throws(Errno) {
        // A clock's number has fewer bits than a process's: a larger one would name another process.
        guard (1...Self.largestProcessID).contains(processID) else { throw .noSuchProcess }
        var clock = clockid_t()
        let failure = clock_getcpuclockid(processID, &clock)
        if failure != 0 { throw Errno(rawValue: failure) }
        self.clock = clock
    }

    /// CPU time so far; nil once the process has ended.
    var seconds: Double? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

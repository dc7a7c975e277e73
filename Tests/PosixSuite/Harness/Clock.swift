internal import CSuite
internal import Glibc

/// The clock that stamps files.
enum Clock {
    /// Waits until a change made from now on is stamped later than every change made so far.
    ///
    /// File systems stamp with the coarse clock, which steps with the timer, or (where a stamp has been
    /// asked for) with the fine one: so the coarse clock must pass the fine one's present value.
    static func step() {
        let now = read(CLOCK_REALTIME)
        var pause = timespec(tv_sec: 0, tv_nsec: 200_000)
        while !(now < read(CLOCK_REALTIME_COARSE)) { nanosleep(&pause, nil) }
    }

    private static func read(_ clock: clockid_t) -> Stamp {
        var time = timespec()
        clock_gettime(clock, &time)
        return Stamp(time)
    }
}

/// A time to the nanosecond.
struct Stamp: Comparable {
    let seconds: Int
    let nanoseconds: Int

    init(_ time: timespec) {
        seconds = time.tv_sec
        nanoseconds = time.tv_nsec
    }

    static func < (left: Stamp, right: Stamp) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

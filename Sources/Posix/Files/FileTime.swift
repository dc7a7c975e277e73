public import CLinux

extension timespec {
    /// A time in nanoseconds since 1970, which may be before that.
    public init(nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isBefore = rest < 0
        self.init(
            tv_sec: Int(isBefore ? seconds - 1 : seconds),
            tv_nsec: Int(isBefore ? rest + 1_000_000_000 : rest))
    }
}

/// The whole seconds since 1970 of a time in nanoseconds: the second that it lies in, also before 1970.
public func wholeSeconds(ofNanoseconds time: Int64) -> Int64 { Int64(timespec(nanoseconds: time).tv_sec) }

internal import Glibc

/// The machine's clocks.
public struct SystemSyncClock: SyncClock {
    public init() {}

    public func now() -> UInt64 { UInt64(clamping: Self.nanoseconds(of: CLOCK_BOOTTIME)) }
    public func wallTime() -> Int64 { Self.nanoseconds(of: CLOCK_REALTIME) }

    public func sleep(until moment: UInt64) async throws {
        let present = now()
        guard moment > present else { return try Task.checkCancellation() }
        try await Task.sleep(for: .nanoseconds(Int64(clamping: moment - present)), clock: .continuous)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The system's random numbers.
public struct SystemSyncRandomness: SyncRandomness {
    public init() {}
    public func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}

internal import Glibc

/// What sync asks instead of the machine, so that the simulation can answer.
package protocol SyncClock: Sendable {
    /// Nanoseconds of a clock that also runs while the machine is suspended (CLOCK_BOOTTIME).
    func now() -> UInt64
    /// Nanoseconds since 1970 by this machine's clock, which is right only by chance: for the age of local
    /// files alone, whose times come from the same clock.
    func wallTime() -> Int64
    /// Returns at that moment of `now`, or at once where it lies in the past.
    /// - Throws: `CancellationError`.
    func sleep(until: UInt64) async throws
}

/// Random numbers: ids, back-off, the order of probes.
package protocol SyncRandomness: Sendable {
    func next() -> UInt64
}

extension SyncRandomness {
    package func identifier() -> UInt128 { UInt128(next()) << 64 | UInt128(next()) }
    /// From 0 to `bound` - 1; the bias does not matter to a back-off.
    package func below(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }
}

/// The machine's clocks.
package struct SystemSyncClock: SyncClock {
    package init() {}

    package func now() -> UInt64 { UInt64(clamping: Self.nanoseconds(of: CLOCK_BOOTTIME)) }
    package func wallTime() -> Int64 { Self.nanoseconds(of: CLOCK_REALTIME) }

    package func sleep(until moment: UInt64) async throws {
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
package struct SystemSyncRandomness: SyncRandomness {
    package init() {}
    package func next() -> UInt64 { UInt64.random(in: .min ... .max) }
}

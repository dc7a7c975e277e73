/// All that the engine takes from outside besides disk, storage and store, so that the simulation can give it
/// its own.
public protocol SyncClock: Sendable {
    /// Nanoseconds of a clock that also runs while the machine is suspended (CLOCK_BOOTTIME).
    func now() -> UInt64
    /// Returns at that moment, or at once where it lies in the past.
    /// - Throws: `CancellationError`.
    func sleep(until: UInt64) async throws
}

/// Random numbers: ids, back-off, the order of probes.
public protocol SyncRandomness: Sendable {
    func next() -> UInt64
}

public import CloudStore

/// All that the engine takes from outside besides disk and storage, so that the simulation can give it its
/// own: no part of the engine asks a clock, a random number or a thread of anybody else.
public struct SyncSurroundings: Sendable {
    public var store: any ObjectStore
    public var clock: any SyncClock
    public var randomness: any SyncRandomness
    public var executor: any EngineExecutor
    public var events: any SyncEventSink
    public var rules: SafetyRules
    public var settings: SyncSettings
    /// Of what is sent and got, in common for all apps; nil: none.
    public var uploadLimit: RateLimit?
    public var downloadLimit: RateLimit?

    public init(
        store: any ObjectStore, clock: any SyncClock, randomness: any SyncRandomness,
        executor: any EngineExecutor, events: any SyncEventSink, rules: SafetyRules = .all,
        settings: SyncSettings = SyncSettings(), uploadLimit: RateLimit? = nil,
        downloadLimit: RateLimit? = nil
    ) {
        self.store = store
        self.clock = clock
        self.randomness = randomness
        self.executor = executor
        self.events = events
        self.rules = rules
        self.settings = settings
        self.uploadLimit = uploadLimit
        self.downloadLimit = downloadLimit
    }
}

public protocol SyncClock: Sendable {
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
public protocol SyncRandomness: Sendable {
    func next() -> UInt64
}

extension SyncRandomness {
    func identifier() -> UInt128 { UInt128(next()) << 64 | UInt128(next()) }
    /// From 0 to `bound` - 1; the bias does not matter to a back-off.
    func below(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }
}

/// The one thread that all of an account's sync runs on: both the actors and what they wait for.
public protocol EngineExecutor: SerialExecutor, TaskExecutor {}

/// What a person or the device may set.
public struct SyncSettings: Equatable, Sendable {
    /// How this device's machine is called: what people who look at the account see, with a number behind it
    /// where another device of the account has that name.
    public var deviceName: String
    /// Bytes that the account may hold; nil: no limit.
    public var quotaBytes: UInt64?
    /// Somebody watches the store and wakes the engine for each change there: then nothing is polled.
    public var isStoreWatched: Bool
    /// Commits after which the next snapshot is made; devices need not agree about it.
    public var commitsPerSnapshot: UInt64

    public init(
        deviceName: String = "", quotaBytes: UInt64? = 5_000_000_000, isStoreWatched: Bool = false,
        commitsPerSnapshot: UInt64 = SnapshotPolicy.commits
    ) {
        self.deviceName = deviceName
        self.quotaBytes = quotaBytes
        self.isStoreWatched = isStoreWatched
        self.commitsPerSnapshot = commitsPerSnapshot
    }
}

import CloudStore
import CloudSync
import Posix
import StoreBasics

@testable import SyncContent

/// What tests of bytes in the store share: an account in memory with clocks that stand still, and seeded
/// bytes.
enum ContentFixture {
    /// SplitMix64: the same numbers for a seed, for ever.
    final class Random: SyncRandomness {
        private let state: Lock<UInt64>

        init(_ seed: UInt64) { state = Lock(seed) }

        func next() -> UInt64 {
            state.withLock { state in
                state &+= 0x9E37_79B9_7F4A_7C15
                var mixed = state
                mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                return mixed ^ (mixed >> 31)
            }
        }

        func bytes(_ count: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: count)
            bytes.withUnsafeMutableBytes { raw in
                for index in stride(from: 0, to: count, by: 8) {
                    let number = next()
                    withUnsafeBytes(of: number) { part in
                        let length = min(8, count - index)
                        raw[index..<index + length].copyBytes(from: part.prefix(length))
                    }
                }
            }
            return bytes
        }

        func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
    }

    /// A clock that only `advance` and `sleep` move; the store's date follows it.
    final class Clock: SyncClock {
        private let nanoseconds = Lock(UInt64(1_000_000_000_000))
        private let epochSeconds: Int64
        private let sleeping = Lock<@Sendable () -> Void>({})

        /// - Parameter start: the store's date when it begins, less 1000 seconds.
        init(start: Int64 = 1_800_000_000) { epochSeconds = start }

        /// Does this in each sleep.
        func duringSleep(_ body: @escaping @Sendable () -> Void) { sleeping.withLock { $0 = body } }

        func now() -> UInt64 { nanoseconds.withLock { $0 } }
        /// By which the wall clock was set.
        private let wallOffset = Lock(Int64(0))
        func wallTime() -> Int64 {
            epochSeconds * 1_000_000_000 + Int64(now()) + wallOffset.withLock { $0 }
        }
        func setWall(bySeconds seconds: Int64) { wallOffset.withLock { $0 += seconds * 1_000_000_000 } }
        func sleep(until moment: UInt64) async throws {
            try Task.checkCancellation()
            sleeping.withLock { $0 }()
            nanoseconds.withLock { $0 = max($0, moment) }
        }
        func pass(_ more: UInt64) { nanoseconds.withLock { $0 += more } }
        func advance(days: Double) { nanoseconds.withLock { $0 += UInt64(days * 86_400e9) } }
        var storeTime: StoreTime {
            StoreTime(seconds: epochSeconds + Int64(now() / 1_000_000_000))
        }
    }

    /// Files in memory; may change or be forbidden meanwhile.
    final class Files: UploadSource {
        private let state: Lock<(files: [[UInt8]], forbidden: Set<Int>)>

        init(_ files: [[UInt8]]) { state = Lock((files, [])) }

        subscript(index: Int) -> [UInt8] {
            get { state.withLock { $0.files[index] } }
            set { state.withLock { $0.files[index] = newValue } }
        }

        func forbid(_ file: Int) { state.withLock { _ = $0.forbidden.insert(file) } }

        func read(_ file: Int, _ range: Range<UInt64>) async throws(ContentError) -> [UInt8] {
            let bytes = self[file]
            guard range.upperBound <= UInt64(bytes.count) else { throw .changed }
            return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        }

        func confirm(_ files: Set<Int>) async throws(ContentError) {
            if !state.withLock({ $0.forbidden.isDisjoint(with: files) }) { throw .changed }
        }
    }

    static func cut(_ files: [[UInt8]], _ account: Account, runBytes: Int = 1 << 20) -> [CutContent] {
        files.map { file in
            var cutter = ContentCutter(account.format.chunking)
            for start in stride(from: 0, to: file.count, by: runBytes) {
                cutter.append(Array(file[start..<min(file.count, start + runBytes)]))
            }
            return cutter.finish()
        }
    }
}

/// A store whose answers a test may spoil; counts what is asked.
final class SpoiledStore: ObjectStore {
    /// What to do instead of a call: nil lets it through.
    typealias Fault = @Sendable (Request) -> Answer?

    enum Request: Equatable, Sendable {
        case putIfAbsent(ObjectKey, sizeBytes: Int)
        case put(ObjectKey)
        case get(ObjectKey)
        case head(ObjectKey)
        case list(String)
        case delete(ObjectKey)
    }

    enum Answer: Sendable {
        /// The call is not made.
        case refuse(StoreError)
        /// The call is made, its answer is lost.
        case lose
        /// Nothing is answered for as long as anybody waits, whether the call is made or not.
        case silence(isMade: Bool)
        /// A GET: other bytes than those that lie there.
        case change
        /// A GET or HEAD: nothing there.
        case hide
    }

    let base: any ObjectStore
    private let state: Lock<(fault: Fault, requests: [Request])>
    private let free = Lock<UInt64?>(nil)

    init(_ base: any ObjectStore) {
        self.base = base
        state = Lock(({ _ in nil }, []))
    }

    var traits: StoreTraits { base.traits }
    var requests: [Request] { state.withLock { $0.requests } }
    func spoil(_ fault: @escaping Fault) { state.withLock { $0.fault = fault } }
    /// How many bytes it says are free.
    func setFree(_ bytes: UInt64?) { free.withLock { $0 = bytes } }
    func freeBytes() async -> UInt64? { free.withLock { $0 } }
    func heal() { spoil { _ in nil } }
    func forget() { state.withLock { $0.requests = [] } }

    var puts: Int {
        requests.count { if case .putIfAbsent = $0 { true } else { false } }
    }
    var putBytes: Int {
        requests.reduce(0) { if case .putIfAbsent(_, let size) = $1 { $0 + size } else { $0 } }
    }
    var gets: Int { requests.count { if case .get = $0 { true } else { false } } }

    private func run<Value: Sendable>(
        _ request: Request, _ call: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> (Value?, Answer?) {
        let fault = state.withLock { state in
            state.requests.append(request)
            return state.fault
        }
        switch fault(request) {
        case .refuse(let error): throw error
        case .lose:
            _ = try await call()
            throw .unknownOutcome("the answer was lost")
        case .silence(let isMade):
            if isMade { _ = try await call() }
            try? await Task.sleep(for: .seconds(3600))
            throw .cancelled
        case let answer: return (try await call(), answer)
        }
    }

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
        let (value, _) = try await run(.putIfAbsent(key, sizeBytes: bytes.count)) { () throws(StoreError) in
            try await base.putIfAbsent(bytes, at: key)
        }
        return value!
    }

    func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let (value, _) = try await run(.put(key)) { () throws(StoreError) in
            try await base.put(bytes, at: key)
        }
        return value!
    }

    func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
        let (value, answer) = try await run(.get(key)) { () throws(StoreError) in
            try await base.get(key, range: range)
        }
        guard let found = value!.value else { return value! }
        switch answer {
        case .hide: return Dated(nil, at: value!.date)
        case .change:
            var bytes = found.bytes
            if !bytes.isEmpty { bytes[bytes.count / 2] ^= 1 }
            return Dated(StoredObject(bytes: bytes, lastModified: found.lastModified), at: value!.date)
        default: return value!
        }
    }

    func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
        let (value, answer) = try await run(.head(key)) { () throws(StoreError) in try await base.head(key) }
        if case .hide = answer { return Dated(nil, at: value!.date) }
        return value!
    }

    func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        let (value, _) = try await run(.list(prefix)) { () throws(StoreError) in
            try await base.list(prefix, after: after, limit: limit)
        }
        return value!
    }

    func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> {
        let (value, _) = try await run(.delete(key)) { () throws(StoreError) in
            try await base.delete(key)
        }
        return value!
    }
}

/// Remembers what it was asked, for faults that happen once.
final class LostOnce: Sendable {
    private let state = Lock((keys: Set<ObjectKey>(), count: 0))

    /// Whether this key comes for the first time.
    func first(_ key: ObjectKey) -> Bool { state.withLock { $0.keys.insert(key).inserted } }

    /// How often it was called, this time too.
    func count() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }
}

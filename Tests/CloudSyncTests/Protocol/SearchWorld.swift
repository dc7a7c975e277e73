import CloudStore
import Posix
import StoreBasics

@testable import CloudSync

/// One thing that happens next in a small world: what becomes of a device's request, or of one that is late.
struct SearchChoice: Hashable {
    enum Fate: Hashable {
        case answered
        case requestLost
        case replyLost
        /// Its sender hears nothing, and it may still come about at any later moment.
        case late
        /// The store could not decide a race (409).
        case undecided
        /// The device ends before its request leaves, or before the answer reaches it; then it begins anew.
        case crashBefore
        case crashAfter
    }

    /// Nil: the late request of that number comes about.
    var device: Int?
    var fate = Fate.answered
    var late: UInt64 = 0

    var isFault: Bool { device != nil && fate != .answered }
}

/// A few devices that each say a few operations, with the real commit protocol on the real log, one request
/// at a time: whose is next, and what becomes of it, is decided from outside.
// Unchecked: it lives on the one thread that calls it; its executor runs the devices there.
final class SearchWorld: @unchecked Sendable {
    struct Pending {
        var isWrite: Bool
        var perform: () -> UInt64
        var resume: (SearchChoice.Fate) -> Void
    }

    let executor = SearchExecutor()
    let format = LogFixture.format()
    /// False: a store that takes `If-None-Match` and overwrites.
    let keepsWhatIsThere: Bool
    private(set) var objects: [ObjectKey: StoredObject] = [:]
    private(set) var date = StoreTime(seconds: 1_800_000_000)
    private(set) var devices: [SearchDevice] = []
    /// Requests that are still on their way, though nobody waits for them, by what their sender had heard.
    private var late: [UInt64: () -> UInt64] = [:]
    private var faultsLeft: Int

    /// - Parameter operations: how many each device says.
    init(_ operations: [Int], faults: Int, keepsWhatIsThere: Bool = true) {
        self.keepsWhatIsThere = keepsWhatIsThere
        faultsLeft = faults
        devices = operations.enumerated().map { SearchDevice($0.offset, says: $0.element, in: self) }
        for device in devices { device.begin() }
        executor.run()
    }

    /// What can happen now; nothing where all devices have said what they had to say.
    var choices: [SearchChoice] {
        var found = late.keys.sorted().map { SearchChoice(late: $0) }
        for device in devices {
            guard let pending = device.pending else { continue }
            found.append(SearchChoice(device: device.index))
            guard faultsLeft > 0 else { continue }
            let fates: [SearchChoice.Fate] =
                pending.isWrite
                ? [.requestLost, .replyLost, .late, .undecided, .crashBefore, .crashAfter]
                : [.requestLost, .crashBefore]
            found += fates.map { SearchChoice(device: device.index, fate: $0) }
        }
        return found
    }

    var isOver: Bool { devices.allSatisfy(\.isDone) }

    func choose(_ choice: SearchChoice) {
        if choice.isFault { faultsLeft -= 1 }
        guard let index = choice.device else {
            _ = late.removeValue(forKey: choice.late)?()
            return
        }
        guard let pending = devices[index].pending else { return }
        devices[index].pending = nil
        devices[index].hear(choice.fate)
        if choice.fate == .late { late[devices[index].heard.value] = pending.perform }
        pending.resume(choice.fate)
        executor.run()
        if choice.fate == .crashBefore || choice.fate == .crashAfter {
            devices[index].begin()
            executor.run()
        }
    }

    /// Two worlds with equal keys go on alike: a device is what it was told, in that order.
    var key: [UInt64] {
        var stored: UInt64 = 0
        for (key, object) in objects {
            var hash = SearchHash()
            hash.add(Array(key.text.utf8))
            hash.add(object.bytes)
            hash.add(UInt64(bitPattern: object.lastModified.seconds))
            stored ^= hash.value
        }
        return [stored, UInt64(faultsLeft)] + devices.map(\.heard.value) + late.keys.sorted()
    }

    /// Ends what still runs.
    func end() {
        for device in devices {
            device.isEnded = true
            while let pending = device.pending {
                device.pending = nil
                pending.resume(.crashBefore)
                executor.run()
            }
        }
    }

    // MARK: The store

    func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) -> PutOutcome {
        if keepsWhatIsThere, objects[key] != nil { return .occupied }
        objects[key] = StoredObject(bytes: bytes, lastModified: date)
        return .written
    }

    func list(_ prefix: String, after: ObjectKey?, limit: Int) -> ObjectListing {
        let keys = objects.keys.filter { key in key.text.hasPrefix(prefix) && after.map { $0 < key } ?? true }
        let found = keys.sorted().compactMap { key in
            objects[key].map {
                ObjectInfo(key: key, sizeBytes: UInt64($0.bytes.count), lastModified: $0.lastModified)
            }
        }
        return ObjectListing(objects: Array(found.prefix(limit)), isTruncated: found.count > limit)
    }
}

/// FNV-1a over what it is given.
struct SearchHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        add(UInt64(bytes.count))
    }

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
        value ^= value >> 29
    }
}

/// Runs each job on the thread that calls `run`, in the order they came.
// Unchecked: a world lives on one thread, which alone enqueues and runs.
final class SearchExecutor: EngineExecutor, @unchecked Sendable {
    private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    func run() {
        while !jobs.isEmpty {
            let due = jobs
            jobs = []
            for job in due {
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
    }
}

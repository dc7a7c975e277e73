internal import CloudStore
internal import CloudSync
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// What the log of the key-value store says, entry by entry as they come into the store, without replay.
// Unchecked: see WorldExecutor.
final class KeyValueTruth: @unchecked Sendable {
    private struct Word {
        var value: [UInt8]?
        var stamp: KeyValueStamp
        var device: DeviceID
    }

    private struct Source: Hashable {
        var device: DeviceID
        var n: UInt64
    }

    private var time = StoreTime(seconds: 0)
    private var words: [KeyName: Word] = [:]
    private var seen: Set<Source> = []
    private(set) var head: UInt64 = 0

    /// What the later word about each key says, where that is not its removal: of that nothing is left after
    /// a time.
    var values: [KeyName: [UInt8]] { words.compactMapValues(\.value) }

    /// Keys that were removed, by the later word about them, a short time ago.
    func removed(after date: StoreTime) -> [KeyName] {
        words.filter { $0.value.value == nil && $0.value.stamp.milliseconds / 1000 > date.seconds }.map(\.key)
    }

    /// Takes an object that was written.
    /// - Parameter list: the bytes of operations that lie beside the log.
    /// - Returns: whether it is a new entry of that log.
    func note(
        _ key: ObjectKey, _ bytes: [UInt8], list: (SpilledOperations) -> [UInt8]?
    ) throws -> Bool {
        let parts = key.text.split(separator: "/")
        guard parts.count == 5, parts[1] == "k", parts[3] == "log", let slot = UInt64(parts[4]),
            slot == head + 1, case .entry(let entry) = try LogEntry.decode(bytes)
        else { return false }
        head = slot
        time = max(time, entry.time)
        guard let commit = try commit(of: entry, list) else { return true }
        let device = commit.batch.device
        guard seen.insert(Source(device: device, n: commit.batch.n)).inserted else { return true }
        let latest = KeyValueStamp(milliseconds: time.seconds * 1000 + 999, count: .max)
        for case .keyValue(let operation) in commit.batch.operations {
            let stamp = min(operation.stamp, latest)
            if let old = words[operation.key], (old.stamp, old.device) >= (stamp, device) { continue }
            words[operation.key] = Word(value: operation.value, stamp: stamp, device: device)
        }
        return true
    }

    private func commit(of entry: LogEntry, _ list: (SpilledOperations) -> [UInt8]?) throws -> Commit? {
        guard case .spilled(let spilled) = entry.body else { return entry.commit }
        return try list(spilled).map(entry.commit(spilled:))
    }
}

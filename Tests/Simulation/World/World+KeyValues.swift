internal import CloudStore
internal import CloudSync
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// A key-value store that all devices have in common, in a part of the histories.
extension World {
    private static let keyValues = "store"
    /// Of all values: less than all keys together may have.
    private static let mostBytes = 30

    /// The engine of a life keeps it in step.
    func addKeyValues(to engine: SyncEngine, of device: Device, _ storage: any SyncStorage) async {
        guard plan.hasKeyValues else { return }
        await engine.add(
            AttachedKeyValues(
                identifier: Self.keyValues, storage: storage,
                isOverLimit: { size($0) > Self.mostBytes }, told: { _ in }))
    }

    /// What apps will set, drawn apart from all else.
    func planKeyValues() {
        guard plan.hasKeyValues, let last = plan.steps.last?.time, last > 0 else { return }
        var random = WorldRandom(seed: plan.seed, stream: 1 << 61)
        for device in devices where random.chance(perMille: 300) {
            let offset = random.pick(Plan.clockOffsets) ?? 0
            for home in device.homes { home.disk.wallOffset += offset }
        }
        for number in 0..<random.below(40) {
            let (index, key) = (random.below(plan.devices), KeyName("key \(random.below(6))"))
            let value = random.chance(perMille: 250) ? nil : Array("value \(number)".utf8)
            timeline.schedule(at: random.nanoseconds(in: 0..<last)) { [unowned self] in
                set(key, to: value, on: devices[index])
            }
        }
    }

    private func set(_ key: KeyName, to value: [UInt8]?, on device: Device) {
        guard let life = device.life, !device.isGone else { return }
        life.receive { [unowned self, unowned device] in
            let wall = device.disk.wallTime / 1_000_000
            _ = try? KeyValueStore(device.keyValues).change(at: wall) { values in
                var after = values
                after[key] = value
                let isRefused = size(after) > Self.mostBytes && size(after) > size(values)
                return isRefused ? [] : [KeyValueStore.Setting(key: key, value: value)]
            }
            let text = value.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
            trace.note(
                "set", UInt64(device.index), line: "device \(device.index) sets \(key.text) to \(text)")
            lastChange = timeline.now
            device.wake()
        }
    }

    /// An object was written.
    func noteKeyValues(_ key: ObjectKey, _ bytes: [UInt8]) {
        do {
            let isEntry = try keyValueTruth.note(key, bytes) { list in
                layout.flatMap { store.objects[$0.object(of: list.hash, at: list.locator)]?.bytes }
            }
            if isEntry { met.note(.keyValues) }
        } catch {
            fail("I1: \(key) cannot be read: \(error)")
        }
    }

    /// Whether a device has read all that was said of keys.
    func hasAllKeys(_ device: Device) -> Bool {
        guard plan.hasKeyValues else { return true }
        return (try? device.keyValues.read { try $0.treeCursor() }) == keyValueTruth.head
    }

    /// I2 for keys: all devices have the same, nothing waits, and each key has what the later word says.
    func checkKeyValues() {
        guard plan.hasKeyValues else { return }
        var first: [KeyName: [UInt8]]?
        for device in devices where !device.isGone {
            let store = KeyValueStore(device.keyValues)
            guard let values = try? store.values(), (try? store.pendingCount()) == 0 else {
                return fail("I10: device \(device.index) has keys to send")
            }
            if let first, first != values { fail("I2: device \(device.index) has other keys") }
            first = first ?? values
            for (key, value) in keyValueTruth.values where values[key] != value {
                fail("I2: device \(device.index) has not what was set last at \(key.text)")
            }
            let recent = self.store.date.adding(seconds: -Retention.historySeconds)
            for key in keyValueTruth.removed(after: recent) where values[key] != nil {
                fail("I2: device \(device.index) has \(key.text), which was removed last")
            }
        }
    }
}

/// Of all values.
private func size(_ values: [KeyName: [UInt8]]) -> Int { values.values.map(\.count).reduce(0, +) }

internal import CloudStore
internal import CloudSync
internal import StoreBasics
internal import SyncContent
internal import SyncLog

/// What the store has when all has come to rest, its retention is over and somebody has collected.
extension World {
    private static let retention = UInt64(Retention.historySeconds) * Plan.second
    private static let grace = UInt64(Retention.collectionGraceSeconds) * Plan.second

    /// I11: then the store holds what is needed, and nothing else.
    func checkGarbage() {
        // Somebody sets the clocks that are wrong.
        for device in devices { device.way.clockOffset = 0 }
        // History ends, what was let go of gets old, then what was moved out of packs that are mostly dead.
        // What a collection itself said may have brought the next snapshot, whose forerunner gets old.
        var time = Self.retention + Plan.day
        var found: [String] = []
        // In a folder garbage stays for up to three, for what clocks may be apart.
        let graces: Int64 = plan.clockIsOurs ? 3 : 1
        for _ in 0..<8 {
            let refused = met.counts[Met.Event.refusedCollection.rawValue]
            collect(after: time)
            guard failures.isEmpty, let layout else { return }
            // Where the logs themselves are years off nothing gets old.
            guard met.counts[Met.Event.refusedCollection.rawValue] == refused else { return }
            checkReferences()
            let needed = Needed(store.objects, layout, trees: truths.map(\.storage))
            let old = store.date.adding(seconds: -graces * Int64(Self.grace / Plan.second))
            found = store.objects.sorted { $0.key < $1.key }.compactMap { key, object in
                // Too young to go; and what a clock that was ahead dated is young until then.
                guard object.modified <= old else { return nil }
                return needed.objection(to: key, sizeBytes: object.bytes.count)
            }
            if found.isEmpty { return met.note(.clearedStore) }
            time = Self.grace + Plan.day
        }
        if let what = found.first { fail("I11: \(what)") }
    }

    private func collect(after time: UInt64) {
        happen(.pass(time))
        go(until: timeline.now + time) { false }
        calmDown()
        // Who does not have an app neither ends its history nor writes its packs anew.
        for device in devices where failures.isEmpty && device.engine != nil && device.life != nil {
            collect(on: device)
            go(until: timeline.now + Plan.day) { device.errands == 0 }
            calmDown()
            if truths.count == 1 { return }
        }
    }
}

/// Counted from the logs and the snapshots that lie in the store, and from the trees that the logs came to,
/// never by what collects.
private struct Needed {
    /// Objects that are needed whole, as they were made.
    private var whole: Set<ObjectKey> = []
    /// Bytes of an object that the trees refer to, by their offset.
    private var parts: [ObjectKey: [Int: Int]] = [:]

    init(
        _ objects: [ObjectKey: ObjectMap.Object], _ layout: StoreLayout, trees: [MemoryStorage]
    ) {
        for (key, object) in objects {
            if key.text.contains("/log/"), case .entry(let entry)? = try? LogEntry.decode(object.bytes),
                case .spilled(let list) = entry.body
            {
                whole.insert(layout.object(of: list.hash, at: list.locator))
            } else if key.text.contains("/snap/"), let root = try? SnapshotRoot(object.bytes) {
                whole.formUnion(root.pages.map { layout.object(of: $0.chunk.hash, at: $0.chunk.locator) })
            }
        }
        for chunk in trees.flatMap({ (try? $0.read { try $0.chunks(after: nil, limit: .max) }) ?? [] }) {
            let offset = if case .pack(_, let offset) = chunk.locator { Int(offset) } else { 0 }
            let key = layout.object(of: chunk.hash, at: chunk.locator)
            parts[key, default: [:]][offset] = Int(chunk.sizeBytes)
        }
    }

    /// Why an object of chunks should not lie there any more.
    func objection(to key: ObjectKey, sizeBytes: Int) -> String? {
        let isOfChunks =
            key.text.hasPrefix(StoreLayout.chunkPrefix) || key.text.hasPrefix(StoreLayout.packPrefix)
        if !isOfChunks || whole.contains(key) { return nil }
        guard let parts = parts[key] else { return "nothing needs \(key), and it is still there" }
        let needed = parts.values.reduce(0, +)
        return needed >= sizeBytes / 2 ? nil : "\(needed) of \(sizeBytes) bytes of \(key) are needed"
    }
}

internal import CloudStore
internal import Posix
internal import StoreBasics
internal import SyncLog

/// An object that a LIST showed.
struct Listed: Sendable {
    var name: StoredName
    var info: ObjectInfo
}

/// Chunks and packs that a store has, as many as are to be in memory at once: all whose names begin with some
/// bytes. An account of ten million documents is looked at in parts.
struct StoredPart: Sendable {
    /// The names' first bytes.
    var bytes: ClosedRange<UInt8>
    var objects: [Listed]
    /// Of the first answer.
    var date: StoreTime

    /// Where the next one begins; nil: this is the last.
    var next: UInt8? { bytes.upperBound == .max ? nil : bytes.upperBound + 1 }

    func contains(_ name: StoredName) -> Bool { bytes.contains(name.firstByte) }
}

extension Account {
    /// The part that begins with the names whose first byte this is.
    /// - Parameter limit: after more objects it ends, before the names with the last one's first byte.
    func storedPart(from first: UInt8, limit: Int) async throws(StoreError) -> StoredPart {
        let chunks = try await objects(below: StoreLayout.chunkPrefix, in: first ... .max, limit)
        let packs = try await objects(below: StoreLayout.packPrefix, in: chunks.bytes, limit)
        let objects = chunks.objects.filter { packs.contains($0.name) } + packs.objects
        return StoredPart(bytes: packs.bytes, objects: objects, date: chunks.date)
    }

    /// All of it as one part, for who keeps all of it anyway.
    func storedObjects() async throws(StoreError) -> Dated<[Listed]> {
        let part = try await storedPart(from: 0, limit: .max)
        return Dated(part.objects, at: part.date)
    }

    private func objects(
        below prefix: String, in bytes: ClosedRange<UInt8>, _ limit: Int
    ) async throws(StoreError) -> StoredPart {
        var after = bytes.lowerBound == 0 ? nil : Self.end(of: bytes.lowerBound - 1, prefix)
        var found: StoredPart?
        while true {
            let answer = try await store.list(prefix, after: after, limit: min(limit, StoreLimits.listedKeys))
            var part = found ?? StoredPart(bytes: bytes, objects: [], date: answer.date)
            for info in answer.value.objects {
                guard let name = StoredName(info.key) else { continue }
                guard part.contains(name) else { return part }
                part.objects.append(Listed(name: name, info: info))
            }
            found = part
            after = answer.value.objects.last?.key
            if !answer.value.isTruncated || after == nil { return part }
            if part.objects.count > limit, let last = part.objects.last?.name.firstByte,
                last > bytes.lowerBound
            {
                part.bytes = bytes.lowerBound...last - 1
                part.objects.removeAll { $0.name.firstByte == last }
                return part
            }
        }
    }

    /// After all keys whose names begin with this byte.
    private static func end(of byte: UInt8, _ prefix: String) -> ObjectKey {
        ObjectKey(wellFormed: "\(prefix)\(byte.hexDigits)/zz")
    }
}

extension StoredName {
    /// Nil for a key that none of ours is.
    init?(_ key: ObjectKey) {
        let parts = key.text.pathParts
        guard parts.count == 4, let name = parts.last else { return nil }
        switch parts[1] {
        case "p":
            guard name.utf8.count == 32, let id = UInt128(name, radix: 16) else { return nil }
            self = .pack(Bits128(id))
        case "c":
            let halves = name.split(separator: ".")
            guard halves.count == 2, halves[0].utf8.count == 32, halves[1].utf8.count == 16,
                let opaque = UInt128(halves[0], radix: 16), let random = UInt64(halves[1], radix: 16)
            else { return nil }
            self = .chunk(Bits128(opaque), random)
        default: return nil
        }
    }

    /// What its key's directory is called after.
    var firstByte: UInt8 {
        switch self {
        case .chunk(let opaque, _): UInt8(truncatingIfNeeded: opaque.value >> 120)
        case .pack(let id): UInt8(truncatingIfNeeded: id.value >> 120)
        }
    }
}

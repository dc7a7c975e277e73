internal import Glibc

/// The bytes of names, one behind the other.
struct NameStore {
    /// Where a name's bytes are.
    struct Place {
        fileprivate(set) var start: UInt32 = 0
        fileprivate(set) var count: UInt16 = 0
    }

    private var chunks: [[UInt8]] = []
    private static let chunkBits: UInt32 = 16
    private static let chunkBytes = 1 << Int(chunkBits)

    /// - Returns: nil where there is no room left for names, or for one as long as this.
    mutating func add(_ name: UnsafeRawBufferPointer) -> Place? {
        guard name.count <= Int(UInt16.max) else { return nil }
        if (chunks.last.map { Self.chunkBytes - $0.count } ?? 0) < name.count {
            guard chunks.count < Self.chunkBytes else { return nil }
            chunks.append([])
            chunks[chunks.count - 1].reserveCapacity(Self.chunkBytes)
        }
        let last = chunks.count - 1
        let start = UInt32(last) << Self.chunkBits | UInt32(chunks[last].count)
        chunks[last].append(contentsOf: name)
        return Place(start: start, count: UInt16(name.count))
    }

    func withBytes<R>(_ place: Place, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        guard place.count > 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let (chunk, start) = (place.start >> Self.chunkBits, Int(place.start) % Self.chunkBytes)
        return chunks[Int(chunk)].withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(place.count)]))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The order of bytes, the shorter first.
    func compare(_ other: UnsafeRawBufferPointer) -> Int {
        guard let start = baseAddress, let otherStart = other.baseAddress else { return count - other.count }
        let order = Int(memcmp(start, otherStart, Swift.min(count, other.count)))
        return order != 0 ? order : count - other.count
    }
}

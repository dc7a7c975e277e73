internal import Glibc

/// The bytes of names, one behind the other, each behind its length.
struct NameStore {
    /// Where a name is; by default, that of the empty name.
    struct Place {
        fileprivate var start: UInt32 = 0
    }

    private var chunks: [[UInt8]] = []
    private static let chunkBits: UInt32 = 16
    private static let chunkBytes = 1 << Int(chunkBits)
    /// What a length of one byte is below. At it, two more bytes have the length.
    private static let longBytes = 255

    init() {
        _ = add(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// - Returns: nil where there is no room left for names, or for one as long as this.
    mutating func add(_ name: UnsafeRawBufferPointer) -> Place? {
        guard name.count <= Self.limitBytes else { return nil }
        let isLong = name.count >= Self.longBytes
        let neededBytes = name.count + (isLong ? 3 : 1)
        if (chunks.last.map { Self.chunkBytes - $0.count } ?? 0) < neededBytes {
            guard chunks.count < Self.chunkBytes else { return nil }
            chunks.append([])
            chunks[chunks.count - 1].reserveCapacity(Self.chunkBytes)
        }
        let last = chunks.count - 1
        let start = UInt32(last) << Self.chunkBits | UInt32(chunks[last].count)
        if isLong {
            chunks[last] += [UInt8(Self.longBytes), UInt8(name.count >> 8), UInt8(name.count & 0xFF)]
        } else {
            chunks[last].append(UInt8(name.count))
        }
        chunks[last].append(contentsOf: name)
        return Place(start: start)
    }

    /// A chunk has room for it.
    private static let limitBytes = 1 << 15

    func withBytes<R>(_ place: Place, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let (chunk, start) = (Int(place.start >> Self.chunkBits), Int(place.start) % Self.chunkBytes)
        return chunks[chunk].withUnsafeBytes { bytes in
            var first = start + 1
            var count = Int(bytes[start])
            if count == Self.longBytes {
                count = Int(bytes[first]) << 8 | Int(bytes[first + 1])
                first += 2
            }
            return body(UnsafeRawBufferPointer(rebasing: bytes[first..<first + count]))
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

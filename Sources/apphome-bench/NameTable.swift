/// File names as C strings made in advance, so that no timed loop makes a string.
// Unchecked: the bytes are written in `init` alone.
final class NameTable: @unchecked Sendable {
    private static let strideBytes = 16
    private let bytes: UnsafeMutablePointer<CChar>
    let count: Int

    /// Names `<prefix>0`, `<prefix>1`, …
    /// - Parameter prefix: at most 6 ASCII characters.
    init(prefix: String, count: Int) {
        self.count = count
        bytes = .allocate(capacity: max(1, count) * Self.strideBytes)
        bytes.initialize(repeating: 0, count: max(1, count) * Self.strideBytes)
        for index in 0..<count {
            let slot = bytes + index * Self.strideBytes
            for (offset, byte) in "\(prefix)\(index)".utf8.prefix(Self.strideBytes - 1).enumerated() {
                slot[offset] = CChar(bitPattern: byte)
            }
        }
    }

    deinit { bytes.deallocate() }

    @inline(__always)
    subscript(index: Int) -> UnsafePointer<CChar> {
        precondition(index >= 0 && index < count)
        return UnsafePointer(bytes + index * Self.strideBytes)
    }
}

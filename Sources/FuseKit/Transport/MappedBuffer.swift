internal import CLinux

/// Memory of its own, page-aligned, which costs nothing until it is touched.
// Unchecked: the address never changes; who writes what is its user's matter.
final class MappedBuffer: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    /// nil where there is no address space left.
    init?(count: Int) {
        guard let start = lx_map_reserved(UInt64(count)) else { return nil }
        bytes = .init(start: start, count: count)
    }

    deinit { lx_unmap(bytes.baseAddress, UInt64(bytes.count)) }
}

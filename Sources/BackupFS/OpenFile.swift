internal import Backup

/// A file that the kernel has open.
struct OpenFile: Sendable {
    enum Content: Sendable {
        case blob(BlobBytes)
        case bytes([UInt8])
    }

    let content: Content
    let sizeBytes: UInt64
    /// Whether there may be more by the time that it is opened again.
    let grows: Bool
    /// Whether it is counted in `Backings`.
    var isCounted = false

    init(_ content: Content, sizeBytes: Int64) {
        self.content = content
        self.sizeBytes = UInt64(sizeBytes)
        grows = false
    }

    init(growing text: String) {
        let bytes = Array(text.utf8)
        content = .bytes(bytes)
        sizeBytes = UInt64(bytes.count)
        grows = true
    }

    /// The file that the kernel may read in this one's place: it reads to that one's end.
    var descriptor: Int32? {
        guard case .blob(let bytes) = content, bytes.sizeBytes == sizeBytes else { return nil }
        return bytes.plainDescriptor
    }
}

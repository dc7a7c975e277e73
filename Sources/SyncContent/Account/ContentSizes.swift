/// How large the packs and pages get that a device writes to the store; devices need not agree about it.
package struct ContentSizes: Equatable, Sendable {
    /// Of a pack with more than one chunk.
    package let packBytes: Int
    /// Of a page of a snapshot at most; no larger one is made than readers take.
    package let pageBytes: Int
    /// One record in so many ends a page, which makes 20 KiB of chunks and 60 KiB of documents of 256. A
    /// device sends the pages anew of one that has another number.
    package let recordsPerPage: UInt64

    package init(
        packBytes: Int = 8 << 20, pageBytes: Int = PageReader.pageLimitBytes, recordsPerPage: UInt64 = 256
    ) {
        self.packBytes = packBytes
        self.pageBytes = min(max(1, pageBytes), PageReader.pageLimitBytes)
        self.recordsPerPage = recordsPerPage
    }
}

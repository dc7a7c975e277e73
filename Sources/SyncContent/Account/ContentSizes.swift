/// How large what a device writes to the store gets at most; devices need not agree about it.
package struct ContentSizes: Equatable, Sendable {
    /// Of a pack with more than one chunk.
    package var packBytes: Int
    /// Of a page of a snapshot; no more than readers take.
    package var pageBytes: Int
    /// One record in so many ends a page: 20 KiB of chunks, 60 KiB of documents. Two devices that differ send
    /// each other's pages anew.
    package var recordsPerPage: UInt64

    package init(packBytes: Int = 8 << 20, pageBytes: Int = 1 << 20, recordsPerPage: UInt64 = 256) {
        self.packBytes = packBytes
        self.pageBytes = pageBytes
        self.recordsPerPage = recordsPerPage
    }
}

internal import SyncLog

/// Cuts a tree's records, written one after the other, into pages: behind a record whose key says so, so that
/// two makers get the same pages and a changed record changes one of them. A page is a run of bytes: where no
/// key says so for long it ends wherever it is full, in the middle of a record too.
struct PageCutter {
    private let sizes: ContentSizes

    init(_ sizes: ContentSizes) {
        self.sizes = sizes
    }

    /// Of the page that is being filled.
    private(set) var bytes: [UInt8] = []

    /// Adds a record.
    /// - Parameter page: gets each page that is full.
    mutating func append(_ record: SnapshotRecord, page: ([UInt8]) throws -> Void) rethrows {
        bytes += Self.frame(record)
        while bytes.count >= sizes.pageBytes {
            try page(Array(bytes.prefix(sizes.pageBytes)))
            bytes.removeFirst(sizes.pageBytes)
        }
        if isLast(record.key), !bytes.isEmpty { try finish(page: page) }
    }

    mutating func finish(page: ([UInt8]) throws -> Void) rethrows {
        guard !bytes.isEmpty else { return }
        try page(bytes)
        bytes = []
    }

    /// A record behind its length.
    static func frame(_ record: SnapshotRecord) -> [UInt8] {
        let encoded = record.encoded()
        return withUnsafeBytes(of: UInt32(encoded.count).bigEndian, Array.init) + encoded
    }

    /// FNV-1a, which all makers have to agree on. It does not spread a key's last bytes, so these may not be
    /// all that tells keys apart (`FileID.next`).
    private func isLast(_ key: [UInt8]) -> Bool {
        let hash = key.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return (hash >> 32).isMultiple(of: sizes.recordsPerPage)
    }
}

/// Reads pages back, which come in order.
package struct PageReader {
    /// A row with more is nobody's: a file of 64 GiB has some 8 MiB of chunks.
    static let recordLimitBytes = 64 << 20
    package static let pageLimitBytes = 1 << 20

    private var rest: [UInt8] = []

    /// The records that end in this page.
    mutating func append(_ page: [UInt8]) throws(CodingError) -> [SnapshotRecord] {
        rest += page
        var records: [SnapshotRecord] = []
        var position = 0
        while rest.count - position >= 4 {
            let length = rest[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            if length > Self.recordLimitBytes { throw .tooLarge }
            guard rest.count - position - 4 >= length else { break }
            records.append(try SnapshotRecord(Array(rest[position + 4..<position + 4 + length])))
            position += 4 + length
        }
        rest.removeFirst(position)
        return records
    }

    func end() throws(CodingError) {
        if !rest.isEmpty { throw .truncated }
    }
}

/// Where the reading of a domain's list stands. A value, so that who cannot wait may let somebody else take
/// the next step.
package struct CloudBackupCursor: Sendable {
    private static let windowBytes = 1 << 20

    private let reader: ContentReader
    private let chunks: [LocatedChunk]
    private var next = 0
    /// The beginning of a record that goes on in the next chunk.
    private var rest: [UInt8] = []

    init(_ domain: CloudBackupDomain, _ reader: ContentReader) {
        self.reader = reader
        chunks = domain.list.chunks.map { LocatedChunk($0.chunk) }
    }

    /// The records that come next, and where the reading stands behind them; nil at the end.
    /// - Throws: `.content`, `.damaged`.
    package func advanced() async throws(CloudBackupError)
        -> (records: [CloudBackupRecord], cursor: CloudBackupCursor)?
    {
        guard next < chunks.count else {
            guard rest.isEmpty else { throw .damaged("a list is cut off") }
            return nil
        }
        let window = Array(chunks[next...].prefix(upToBytes: Self.windowBytes, \.length))
        // Kept: a restore goes through a list several times.
        let pages = try await CloudBackupError.content(await reader.kept(window))
        var after = self
        after.next += window.count
        var records: [CloudBackupRecord] = []
        for page in pages { try after.take(page, &records) }
        return (records, after)
    }

    private mutating func take(
        _ page: [UInt8], _ records: inout [CloudBackupRecord]
    ) throws(CloudBackupError) {
        rest += page
        var position = 0
        while rest.count - position >= 4 {
            let length = rest[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= CloudBackupRecord.limitBytes else { throw .damaged("a list has an endless item") }
            guard rest.count - position - 4 >= length else { break }
            let bytes = Array(rest[position + 4..<position + 4 + length])
            do { records.append(try CloudBackupRecord(bytes)) } catch {
                throw .damaged("a list has an item that is none (\(error))")
            }
            position += 4 + length
        }
        rest.removeFirst(position)
    }
}

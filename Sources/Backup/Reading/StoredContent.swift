internal import Crypto
internal import Posix
internal import SystemPackage

/// The content of a stored file, a piece at a time; compared with the record at its end.
public final class StoredContent {
    private static let pieceLimitBytes = 256 << 10
    private static let digestBytes = 20

    private let blob: Descriptor?
    private let name: String
    private let record: FileRecord
    // Whole blocks, and more than the blob of a small file has: it is read at once, without room to spare.
    private let pieceBytes: Int
    private var decryptor: BlobDecryptor?
    private var missingBytes: Int64
    // What comes behind the content: the padding of an encrypted one.
    private var tail: [UInt8] = []
    private var stored = Insecure.SHA1()
    private var content = Insecure.SHA1()
    private var isAtEnd = false

    /// - Parameter blob: nil where there is none, as devices do for some empty files.
    init(_ item: StoredItem, _ blob: consuming Descriptor?, _ decryptor: BlobDecryptor?) {
        self.blob = blob
        name = "\(item.domain)/\(item.path)"
        record = item.record
        self.decryptor = decryptor
        missingBytes = item.record.sizeBytes
        let blocks = item.record.sizeBytes / Int64(BlobCipher.blockBytes)
        let limitBlocks = Self.pieceLimitBytes / BlobCipher.blockBytes
        pieceBytes = (Int(min(blocks, Int64(limitBlocks))) + 2) * BlobCipher.blockBytes
    }

    /// The next bytes, never empty; nil at the end.
    /// - Throws: `damaged` where the content is not as long as the record says, or has another digest. What
    ///   came before that must be thrown away.
    public func next() throws(BackupError) -> [UInt8]? {
        try BackupError.translating("read \(name)") { try nextPiece() }
    }

    private func nextPiece() throws -> [UInt8]? {
        while !isAtEnd {
            var piece = try blob?.readPiece(pieceBytes) ?? []
            isAtEnd = piece.count < pieceBytes
            stored.update(data: piece)
            if decryptor != nil {
                guard piece.count % BlobCipher.blockBytes == 0 else { throw damaged("is cut off") }
                piece = try decryptor?.update(piece) ?? []
            }
            let count = min(piece.count, Int(clamping: missingBytes))
            missingBytes -= Int64(count)
            tail += piece[count...]
            guard tail.count <= (decryptor == nil ? 0 : BlobCipher.blockBytes) else {
                throw damaged("is longer than the backup says")
            }
            piece.removeLast(piece.count - count)
            // Of a plain one it is the same.
            if decryptor != nil { content.update(data: piece) }
            if isAtEnd { try checkEnd() }
            if !piece.isEmpty { return piece }
        }
        return nil
    }

    private func checkEnd() throws {
        guard missingBytes == 0 else { throw damaged("is shorter than the backup says") }
        guard tail.isEmpty || BlobCipher.isPadding(tail) else { throw damaged("does not end as it should") }
        guard let digest = record.digest, digest.count == Self.digestBytes else { return }
        // Of what is stored; readers differ in what they expect of an encrypted one.
        if Array(stored.finalize()) == digest { return }
        guard decryptor != nil, Array(content.finalize()) == digest else {
            throw damaged("is not what was backed up")
        }
    }

    private func damaged(_ what: String) -> BackupError { .damaged("\(name) \(what)") }
}

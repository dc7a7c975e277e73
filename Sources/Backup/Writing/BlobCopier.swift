internal import Crypto
internal import SystemPackage

/// Writes the content of files into blobs, a piece at a time.
struct BlobCopier {
    /// What became of one content.
    struct Copied {
        let sizeBytes: Int64
        /// Of the blob as it is stored.
        let digest: [UInt8]
        let encryptionKey: [UInt8]?
    }

    private static let pieceBytes = 256 << 10

    private let keys: UnlockedKeybag?
    private var buffer = [UInt8](repeating: 0, count: BlobCopier.pieceBytes)

    init(keys: UnlockedKeybag?) { self.keys = keys }

    /// Copies `source`, from where it stands to its end, to where `blob` stands.
    /// - Parameter progress: told after each piece how many bytes were copied; what it throws ends the copy.
    mutating func copy(
        _ source: Int32, to blob: Int32, protectionClass: UInt32, progress: (Int64) throws -> Void
    ) throws -> Copied {
        let made = try keys?.makeKey(protectionClass: protectionClass)
        var encryptor = made.map { BlobEncryptor($0.key) }
        var hash = Insecure.SHA1()
        var size: Int64 = 0
        while true {
            let count = try buffer.withUnsafeMutableBytes { (bytes) throws(Errno) in
                try Files.fill(bytes, from: source)
            }
            size += Int64(count)
            if encryptor == nil {
                try buffer.withUnsafeBytes { try Self.put($0[..<count], to: blob, &hash) }
            } else if let piece = try encryptor?.update(buffer[..<count]) {
                try piece.withUnsafeBytes { try Self.put($0[...], to: blob, &hash) }
            }
            try progress(size)
            if count < Self.pieceBytes { break }
        }
        if let last = try encryptor?.finish() {
            try last.withUnsafeBytes { try Self.put($0[...], to: blob, &hash) }
        }
        return Copied(sizeBytes: size, digest: Array(hash.finalize()), encryptionKey: made?.wrapped)
    }

    private static func put(
        _ bytes: Slice<UnsafeRawBufferPointer>, to blob: Int32, _ hash: inout Insecure.SHA1
    ) throws(BackupError) {
        let piece = UnsafeRawBufferPointer(rebasing: bytes)
        hash.update(bufferPointer: piece)
        // Translated here: a bare error is taken for one of the file that is read.
        do throws(Errno) { try Files.append(piece, to: blob) } catch {
            throw .system("write the backup", error)
        }
    }
}

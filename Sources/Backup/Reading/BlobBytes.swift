internal import Crypto
internal import CryptoExtras
internal import Databases
internal import Posix
package import SystemPackage

/// What a file of a backup's folder holds, read anywhere in it: as it stands there, or decrypted. In CBC the
/// block before is all that it takes to decrypt one.
package final class BlobBytes: DatabaseBytes, Sendable {
    private let file: Descriptor
    private let key: SymmetricKey?
    /// Of an encrypted one the padding too.
    package let sizeBytes: UInt64

    /// - Throws: `Errno` where its size is not to be had.
    init(_ file: consuming Descriptor, _ key: SymmetricKey? = nil) throws(Errno) {
        sizeBytes = try ItemStamp(of: file).sizeBytes
        self.file = file
        self.key = key
    }

    /// The file, where its bytes are the content; nil where they are encrypted.
    package var plainDescriptor: Int32? { key == nil ? file.raw : nil }

    /// - Throws: EIO where it became shorter meanwhile.
    package func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) {
        let bytes = try read(offset: offset, count: buffer.count)
        guard bytes.count == buffer.count else { throw .ioError }
        buffer.copyBytes(from: bytes)
    }

    /// Up to `count` bytes, fewer only at the end.
    package func read(offset: UInt64, count: Int) throws(Errno) -> [UInt8] {
        guard offset < sizeBytes else { return [] }
        let count = Int(min(UInt64(count), sizeBytes - offset))
        guard let key else { return try FileTree.read(file.raw, offset: Int64(offset), count: count) }
        return try decrypt(offset, count, key)
    }

    private func decrypt(_ offset: UInt64, _ count: Int, _ key: SymmetricKey) throws(Errno) -> [UInt8] {
        let block = UInt64(BlobCipher.blockBytes)
        let first = offset / block * block
        let end = (offset + UInt64(count) + block - 1) / block * block
        let start = first - min(first, block)
        let stored = try FileTree.read(file.raw, offset: Int64(start), count: Int(end - start))
        // Cut off within a block, or meanwhile.
        guard stored.count == Int(end - start) else { throw .ioError }
        let vector = first == 0 ? BlobCipher.zeroVector : Array(stored.prefix(BlobCipher.blockBytes))
        guard
            let content = try? AES._CBC.decrypt(
                stored.dropFirst(Int(first - start)), using: key, iv: .init(ivBytes: vector), noPadding: true)
        else { throw .ioError }
        let skipped = Int(offset - first)
        return Array(content.dropFirst(skipped).prefix(count))
    }
}

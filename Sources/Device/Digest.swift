internal import Crypto
internal import Posix
internal import SystemPackage

/// SHA-256, as the bundle's seal uses it. The only file that knows the cryptography library.
enum Digest {
    /// The digest of the whole file `fd`, in hexadecimal.
    static func ofFile(_ fd: Int32) throws(Errno) -> String {
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            let bytes = try FileTree.read(fd, offset: offset, count: 1 << 20)
            if bytes.isEmpty { break }
            hash.update(data: bytes)
            offset += Int64(bytes.count)
        }
        return Hex.text(Array(hash.finalize()))
    }

    static func of(_ bytes: [UInt8]) -> String { Hex.text(Array(SHA256.hash(data: bytes))) }
}

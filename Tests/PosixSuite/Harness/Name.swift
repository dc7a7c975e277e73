internal import Glibc

/// A path of a case as bytes: `%FF` stands for the byte 0xFF, so that a case can name what is no UTF-8.
enum Name {
    /// Calls `body` with the path's bytes, ended by 0.
    static func with<R>(_ text: String, _ body: (UnsafePointer<CChar>) -> R) -> R {
        bytes(text).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                // Never empty: it ends in 0.
                guard let base = characters.baseAddress else { preconditionFailure("a path without its end") }
                return body(base)
            }
        }
    }

    /// The bytes with the closing 0.
    static func bytes(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, let high = digit(rest.first), let low = digit(rest.dropFirst().first) {
                result.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result + [0]
    }

    /// The text of a listed name: what is not printable ASCII as `%FF`; a long name as its length.
    static func text(_ bytes: [UInt8]) -> String {
        if bytes.count > 40 { return "<\(bytes.count) bytes>" }
        return bytes.map { byte in
            (0x21..<0x7F).contains(byte) && byte != 0x25
                ? String(UnicodeScalar(byte)) : "%" + Answer.hexadecimal(byte)
        }.joined()
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (0x30...0x39).contains(byte): byte - 0x30
        case .some(let byte) where (0x41...0x46).contains(byte): byte - 0x37
        default: nil
        }
    }
}

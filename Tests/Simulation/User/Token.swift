internal import CloudStore

/// Contents that can be told from all others: a mark, the number of the content, and a filling that follows
/// from the number, so that a torn or mixed content is seen to be one.
struct Token: Hashable, Comparable {
    let number: UInt64

    static let mark: [UInt8] = Array("AppHome\u{1}".utf8)
    static func < (left: Token, right: Token) -> Bool { left.number < right.number }

    /// Contents that all devices have in common: equal content at two places is never a conflict.
    static let common: Range<UInt64> = 1_000_000_000..<1_000_000_004
    var isCommon: Bool { Self.common.contains(number) }

    func bytes(size: Int) -> [UInt8] {
        var bytes = Self.mark
        bytes.reserveCapacity(size)
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        // By the size too, so that the first part of a content is not a content.
        var word = (number ^ UInt64(size) << 32) &* 0x9E37_79B9_7F4A_7C15
        while bytes.count < size {
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0.prefix(size - bytes.count)) }
            word = word &* 0xBF58_476D_1CE4_E5B9 &+ 1
        }
        return bytes
    }

    /// The token of a whole content; nil where it is torn, mixed or none of ours.
    init?(whole bytes: [UInt8]) {
        guard bytes.count >= 24, let token = Token(head: bytes[...]), token.bytes(size: bytes.count) == bytes
        else { return nil }
        self = token
    }

    init?(head bytes: ArraySlice<UInt8>) {
        guard bytes.count >= 16, bytes.starts(with: Self.mark) else { return nil }
        number = bytes.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    init(number: UInt64) {
        self.number = number
    }

    /// All tokens whose beginning lies in these bytes, wherever.
    static func all(in bytes: [UInt8]) -> Set<Token> {
        var found: Set<Token> = []
        var index = 0
        while index + 16 <= bytes.count {
            if bytes[index] == mark[0], let token = Token(head: bytes[index...]) {
                found.insert(token)
                index += 16
            } else {
                index += 1
            }
        }
        return found
    }
}

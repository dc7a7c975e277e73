internal import TestKit

/// What one write put into a document: whose it is, and as many bytes as its size says.
struct Token: Hashable, Sendable, CustomStringConvertible {
    enum Size: String, Sendable {
        case small = "s"
        case middle = "m"
        /// More than goes into a pack.
        case large = "l"

        var bytes: Int {
            switch self {
            case .small: 100
            case .middle: 30_000
            case .large: 300_000
            }
        }
    }

    var device: Int
    var number: Int
    var size: Size

    var description: String { "\(device)-\(number)-\(size.rawValue)" }

    init(device: Int, number: Int, size: Size) {
        (self.device, self.number, self.size) = (device, number, size)
    }

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-")
        guard parts.count == 3, let device = Int(parts[0]), let number = Int(parts[1]),
            let size = Size(rawValue: String(parts[2]))
        else { return nil }
        self.init(device: device, number: number, size: size)
    }

    /// Its line: nothing of it can be missing or another's without being seen.
    var line: [UInt8] {
        var random = SeededRandom(seed: UInt64(device) << 32 | UInt64(number))
        var bytes = Array("\(self) ".utf8)
        bytes.reserveCapacity(size.bytes + 32)
        while bytes.count < size.bytes {
            var word = random.next()
            for _ in 0..<12 {
                bytes.append(48 + UInt8(word & 31))
                word >>= 5
            }
        }
        return bytes + [10]
    }
}

/// The content of a document: the lines of all writes that it came from, the oldest first. Who writes a
/// document keeps the lines that were there, so a line that is gone was taken out by somebody who saw it.
struct Document: Hashable, Sendable {
    var tokens: [Token] = []

    var bytes: [UInt8] { tokens.flatMap(\.line) }

    init(_ tokens: [Token] = []) { self.tokens = tokens }

    /// - Returns: nil for what no writer can have written.
    init?(_ bytes: [UInt8]) {
        for line in bytes.split(separator: 10) {
            let word = line.prefix { $0 != 32 }
            guard let token = Token(String(decoding: word, as: UTF8.self)) else { return nil }
            tokens.append(token)
        }
        guard self.bytes == bytes else { return nil }
    }
}

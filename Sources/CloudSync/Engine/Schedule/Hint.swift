internal import SyncContent

/// What a device tells all others at once: its logs' newest slots. Only a hint: whoever believes a wrong one
/// asks a slot in vain, whoever misses one asks it later.
struct Hint: Equatable, Sendable {
    /// A hint that is longer is none.
    static let limitBytes = 64 << 10

    var newest: [LogName: UInt64] = [:]

    /// A line for each log: its name, a space, the slot.
    var bytes: [UInt8] {
        let lines = newest.map { "\($0.key.hintText) \($0.value)\n" }.sorted()
        return Array(lines.joined().utf8)
    }
}

extension Hint {
    /// Takes what makes sense and leaves the rest: another version may say more.
    init(_ bytes: [UInt8]) {
        self.init()
        guard bytes.count <= Self.limitBytes else { return }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 2, let name = LogName(hintText: words[0]), let slot = UInt64(words[1]) else {
                continue
            }
            newest[name] = slot
        }
    }
}

extension LogName {
    fileprivate var hintText: String {
        switch self {
        case .account: "account"
        case .container(let name): "a/\(name.hex)"
        case .keyValues(let name): "k/\(name.hex)"
        }
    }

    fileprivate init?(hintText: String) {
        if hintText == "account" {
            self = .account
            return
        }
        guard hintText.utf8.count == 34, let bits = UInt128(hintText.dropFirst(2), radix: 16) else {
            return nil
        }
        switch hintText.prefix(2) {
        case "a/": self = .container(ContainerName(bits: bits))
        case "k/": self = .keyValues(ContainerName(bits: bits))
        default: return nil
        }
    }
}

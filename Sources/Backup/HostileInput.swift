internal import SandboxRules

/// All readers of bytes from outside, one after the other: what a fuzzer feeds
/// (`mount-scripts/fuzz-backup`). Whatever the bytes are, each answers a value or an error.
package enum HostileInput {
    /// Deriving a key for more rounds takes longer than an input may.
    private static let iterationLimit = 16

    package static func read(_ bytes: [UInt8]) {
        // The first byte chooses, so that what one reader learned of its form is not wasted on another's.
        let rest = Array(bytes.dropFirst())
        switch (bytes.first ?? 0) % 5 {
        case 0: if let value = try? BinaryPlistReader.value(of: rest) { readBack(value) }
        case 1: if let record = try? FileRecord(archived: rest) { _ = try? FileRecord(archived: record.archived) }
        case 2: readKeybag(rest)
        case 3: _ = try? ManifestPlist(rest)
        default: _ = try? PropertyList.dictionary(rest)
        }
    }

    /// What was read can be written, and read again.
    private static func readBack(_ value: BinaryPlistValue) {
        _ = try? BinaryPlistReader.value(of: BinaryPlistWriter.bytes(of: value))
    }

    private static func readKeybag(_ bytes: [UInt8]) {
        guard let keybag = try? Keybag(bytes) else { return }
        let rounds = keybag.derivation.iterations + keybag.derivation.doubleIterations
        guard rounds <= iterationLimit, let keys = try? keybag.unlock(password: [0x78]) else { return }
        _ = try? keys.open(bytes)
    }
}

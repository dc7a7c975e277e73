internal import SandboxRules

/// All readers of bytes from outside, one after the other: what a fuzzer feeds
/// (`mount-scripts/fuzz-backup`). Whatever the bytes are, each answers a value or an error.
package enum HostileInput {
    /// Deriving a key for more rounds takes longer than an input may.
    private static let iterationLimit = 64

    package static func read(_ bytes: [UInt8]) {
        // The first byte chooses, so that what one reader learned of its form is not wasted on another's.
        let rest = Array(bytes.dropFirst())
        switch (bytes.first ?? 0) % 5 {
        case 0: if let value = try? BinaryPlistReader.value(of: rest) { readBack(value) }
        case 1:
            if let record = try? FileRecord(archived: rest) { _ = try? FileRecord(archived: record.archived) }
        case 2: readKeybag(rest)
        case 3: _ = try? ManifestPlist(rest)
        default: _ = try? PropertyList.dictionary(rest)
        }
    }

    /// What was read can be written, and read again.
    /// A sound input for each reader, to begin from.
    package static func samples() throws -> [[UInt8]] {
        var record = FileRecord(mode: 0o100644)
        record.relativePath = "Documents/Grüße"
        record.target = "target"
        record.digest = [UInt8](repeating: 1, count: FileIdentifier.byteCount)
        record.encryptionKey = [UInt8](repeating: 2, count: 4 + Keybag.wrappedBytes)
        record.attributes = [FileRecord.Attribute(name: "com.apple.x", value: [1, 2, 3])]
        var plist = ManifestPlist()
        plist.apps = [BackedUpApp(bundleID: "org.example.recipes", version: "1")]
        plist.keybag = [1]
        guard let device = BackedUpDevice(identifier: String(repeating: "0", count: 40), name: "iPhone")
        else {
            return []
        }
        let values: BinaryPlistValue = .array([
            .null, .boolean(true), .integer(-1), .real(0.5), .date(1), .uid(70_000), .string("a"),
            .string("ü"),
            .data([1]), .dictionary([BinaryPlistMember("key", .array([]))]),
        ])
        return [
            [0] + BinaryPlistWriter.bytes(of: values), [1] + record.archived,
            [2] + (try Keybag.create(password: [0x78], iterations: 2).bytes),
            [3] + (try plist.bytes(of: device)),
            [4] + (try InfoPlist.bytes(of: device, apps: plist.apps, date: plist.date)),
        ]
    }

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

internal import CLinux
internal import Databases
internal import Posix
internal import PropertyLists
internal import SystemPackage

/// The readers of bytes from outside, as a fuzzer feeds them (`mount-scripts/fuzz-backup`). Whatever the
/// bytes are, each answers a value or an error.
package enum HostileInput: String, CaseIterable {
    /// Any binary property list, and what was read of it once more.
    case plist
    /// A file's record of Manifest.db.
    case record
    case keybag
    case manifest
    /// A bundle's Info.plist, in XML or binary.
    case info
    /// Manifest.db.
    case list

    /// Deriving a key for more rounds takes longer than an input may.
    private static let iterationLimit = 64

    package func read(_ bytes: [UInt8]) {
        switch self {
        case .plist: if let value = try? BinaryPlistReader.value(of: bytes) { Self.readBack(value) }
        case .record:
            guard let record = try? FileRecord(archived: bytes) else { return }
            _ = try? FileRecord(archived: record.archived)
        case .keybag: Self.readKeybag(bytes)
        case .manifest: _ = try? ManifestPlist(bytes)
        case .info: _ = try? PropertyLists.InfoPlist(bytes)
        case .list: Self.readList(bytes)
        }
    }

    /// A sound input, to begin from.
    package func sample() throws -> [UInt8] {
        switch self {
        case .plist: return BinaryPlistWriter.bytes(of: Self.value)
        case .record: return Self.fileRecord.archived
        case .keybag: return try Keybag.create(password: [0x78], iterations: 2).bytes
        case .manifest:
            var plist = ManifestPlist()
            plist.apps = [BackedUpApp(bundleID: "org.example.recipes", version: "1")]
            plist.keybag = [1]
            let identifier = String(repeating: "0", count: 40)
            guard let device = BackedUpDevice(identifier: identifier, name: "iPhone") else { return [] }
            return try plist.bytes(of: device)
        case .info:
            return Array(
                """
                <plist><dict><key>CFBundleIdentifier</key><string>org.example.recipes</string>
                <key>CFBundleExecutable</key><string>a</string><key>UIFileSharingEnabled</key><true/>
                <key>x</key><array><integer>1</integer><real>1</real><data>AA==</data></array></dict></plist>
                """.utf8)
        case .list: return try Self.list()
        }
    }

    private static func list() throws -> [UInt8] {
        let directory = try Descriptor("/tmp", flags: lx_o_directory)
        let file = try ScratchFile(in: directory.raw)
        let writer = try ManifestWriter(directory.raw, file.name)
        for path in ["", "Documents", "Documents/a"] {
            try writer.add(
                FileIdentifier(domain: "HomeDomain", path: path), domain: "HomeDomain", path: path,
                kind: .file, archived: fileRecord.archived)
        }
        try writer.finish()
        return try FileTree.read(file.raw, offset: 0, count: 1 << 20)
    }

    private static func readList(_ bytes: [UInt8]) {
        guard let reader = try? ManifestReader(MemoryBytes(bytes), cacheBytes: 1 << 20) else { return }
        let domains = (try? reader.domains { _ in }) ?? []
        for selection in [.all] + domains.prefix(10).map(RowSelection.domain) {
            try? reader.forEachRow(of: selection, refused: { _ in }, { _ = try? StoredItem($0) })
        }
    }

    private static var fileRecord: FileRecord {
        var record = FileRecord(mode: 0o100644)
        record.relativePath = "Documents/Grüße"
        record.target = "target"
        record.digest = [UInt8](repeating: 1, count: FileIdentifier.byteCount)
        record.encryptionKey = [UInt8](repeating: 2, count: 4 + Keybag.wrappedBytes)
        record.attributes = [FileRecord.Attribute(name: "com.apple.x", value: [1, 2, 3])]
        return record
    }

    private static let value: BinaryPlistValue = .array([
        .null, .boolean(true), .integer(-1), .real(0.5), .date(1), .uid(70_000), .string("a"), .string("ü"),
        .data([1]), .dictionary([BinaryPlistMember("key", .array([]))]),
    ])

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

/// A database that lies in memory.
private final class MemoryBytes: DatabaseBytes {
    private let bytes: [UInt8]
    var sizeBytes: UInt64 { UInt64(bytes.count) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Errno) {
        buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + buffer.count])
    }
}

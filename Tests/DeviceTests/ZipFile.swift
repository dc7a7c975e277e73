/// Zip archives written byte by byte, so that they can be wrong in any way.
struct ZipFile {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8] = []
        var mode: UInt16 = 0o100644
        /// Bit 0: encrypted; bit 11: the name is UTF-8.
        var flags: UInt16 = 0
        /// What the directory says of the size; nil: the truth.
        var claimedBytes: Int?
    }

    var entries: [Entry] = []

    mutating func add(_ name: String, _ content: [UInt8] = [], mode: UInt16 = 0o100644) {
        entries.append(Entry(name: Array(name.utf8), content: content, mode: mode))
    }

    /// An archive with `Payload/Recipes.app/Info.plist`.
    static func app(id: String = "org.example.recipes", more: [String: Any] = [:]) throws -> ZipFile {
        var zip = ZipFile()
        zip.add(
            "Payload/Recipes.app/Info.plist",
            try plistBytes(more.merging(["CFBundleIdentifier": id]) { $1 }))
        return zip
    }

    /// All entries stored without compression.
    var bytes: [UInt8] {
        var body: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let size = UInt32(entry.claimedBytes ?? entry.content.count)
            let common =
                little(20, 2) + little(UInt32(entry.flags), 2) + little(0, 2) + little(0, 2)
                + little(0x4A21, 2)
                + little(crc32(entry.content), 4) + little(size, 4) + little(size, 4)
                + little(UInt32(entry.name.count), 2) + little(0, 2)
            directory +=
                little(0x0201_4B50, 4) + little(0x031E, 2) + common + little(0, 2) + little(0, 2)
                + little(0, 2)
                + little(UInt32(entry.mode) << 16, 4) + little(UInt32(body.count), 4) + entry.name
            body += little(0x0403_4B50, 4) + common + entry.name + entry.content
        }
        let end =
            little(0x0605_4B50, 4) + little(0, 4) + little(UInt32(entries.count), 2)
            + little(UInt32(entries.count), 2) + little(UInt32(directory.count), 4)
            + little(UInt32(body.count), 4) + little(0, 2)
        return body + directory + end
    }

    private func little(_ value: UInt32, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value >> 1 ^ (value & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
    }
}

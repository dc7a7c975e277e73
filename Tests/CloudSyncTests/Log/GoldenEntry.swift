import CloudStore
import StoreBasics

@testable import CloudSync
@testable import SyncLog

/// An entry with every kind of operation, and its bytes as another program made them from RFC 8949: they are
/// the format, and never change while its version is 1.
enum GoldenEntry {
    static let hex = """
        a9000101182a025820111111111111111111111111111111112222222222222222222222222222222203500102030405
        060708090a0b0c0d0e0f1004190102051a6afd86c006582041236e2ab0886e68dbe185982864c8219203664c8ad43cf5
        16c982cc63f99512078a8600500000000000000000000000000000000150000000000000000000000000000000006563
        6166c3a984015820111111111111111111111111111111112222222222222222222222222222222219012c8283582011
        1111111111111111111111111111112222222222222222222222222222222218c81b0000ffffffffffff835820111111
        111111111111111111111111112222222222222222222222222222222218648250000000000000000000000000000000
        071a00010000831901a42081826b636f6d2e6170706c652e784200ff8600500000000000000000000000000000000250
        0000000000000000000000000000000061648100831901ed1b17979cfe362a0000808701500000000000000000000000
        000000000183500102030405060708090a0b0c0d0e0f1001008202417883000080500000000000000000000000000000
        0002616c840250000000000000000000000000000000015000000000000000000000000000000002616d830350000000
        000000000000000000000000018319018018188084045000000000000000000000000000000001835001020304050607
        08090a0b0c0d0e0f1002038283500102030405060708090a0b0c0d0e0f10010083500102030405060708090a0b0c0d0e
        0f1002181883055000000000000000000000000000000002808406500000000000000000000000000000000183500102
        030405060708090a0b0c0d0e0f1001008183500102030405060708090a0b0c0d0e0f1002190100820781825820111111
        111111111111111111111111112222222222222222222222222222222200820861780958201111111111111111111111
        111111111122222222222222222222222222222222
        """.filter { !$0.isWhitespace }

    static var bytes: [UInt8] {
        stride(from: 0, to: hex.count, by: 2).compactMap { offset in
            let start = hex.index(hex.startIndex, offsetBy: offset)
            return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
        }
    }

    static let device = DeviceID(bits: 0x0102_0304_0506_0708_090a_0b0c_0d0e_0f10)
    static let hash = ContentHash(
        high: 0x1111_1111_1111_1111_1111_1111_1111_1111, low: 0x2222_2222_2222_2222_2222_2222_2222_2222)

    static var batch: Batch {
        let file = FileContent(
            hash: hash, sizeBytes: 300,
            chunks: [
                Chunk(hash: hash, sizeBytes: 200, locator: .object(0xffff_ffff_ffff)),
                Chunk(hash: hash, sizeBytes: 100, locator: .pack(Bits128(7), offset: 65536)),
            ])
        let flag = ExtendedAttribute(name: "com.apple.x", value: [0, 255])
        return Batch(
            device: device, n: 258,
            operations: [
                create(1, "caf\u{e9}", .file(file), Attributes(mode: 0o644, modified: -1, extended: [flag])),
                create(2, "d", .directory, Attributes(mode: 0o755, modified: 1_700_000_000_000_000_000)),
                .edit(
                    Edit(
                        file: FileID(bits: 1), base: revision(1, 0), content: .symlink(target: [120]),
                        attributes: Attributes(mode: 0, modified: 0), parent: FileID(bits: 2), name: "l")),
                .move(file: FileID(bits: 1), parent: FileID(bits: 2), name: "m"),
                .setAttributes(file: FileID(bits: 1), Attributes(mode: 0o600, modified: 24)),
                .delete(
                    Deletion(
                        file: FileID(bits: 1), place: revision(2, 3),
                        contents: [revision(1, 0), revision(2, 24)])),
                .withdraw(file: FileID(bits: 2), contents: []),
                .resolve(
                    Resolution(file: FileID(bits: 1), keep: revision(1, 0), contents: [revision(2, 256)])),
                .relocate([Relocation(chunk: hash, locator: .object(0))]),
                .require(feature: "x"),
            ])
    }

    static var entry: LogEntry {
        LogEntry(
            sequence: 42, previous: hash, time: StoreTime(seconds: 1_795_000_000), batch: EncodedBatch(batch),
            treeHash: hash)
    }

    private static func revision(_ n: UInt64, _ index: UInt32) -> Revision {
        Revision(device: device, n: n, index: index)
    }

    private static func create(
        _ file: UInt128, _ name: String, _ content: Content, _ attributes: Attributes
    ) -> Operation {
        .create(
            Creation(
                file: FileID(bits: file), parent: .root, name: name, content: content, attributes: attributes)
        )
    }
}

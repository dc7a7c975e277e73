import Crypto
import Foundation
import Posix
import PropertyLists
import SandboxRules
import Testing

@testable import Backup

@Suite struct FormatTests {
    @Test func `An item's identifier is the SHA-1 of domain and path`() {
        #expect(
            FileIdentifier(domain: "HomeDomain", path: "Library/SMS/sms.db").description
                == "3d0d7e5fb2ce288813306e4d4636395e047a3d28")
    }

    @Test func `A record is what it was after writing and reading`() throws {
        var record = FileRecord(mode: 0o100640)
        (record.sizeBytes, record.modifiedSeconds) = (1 << 40, -5)
        (record.changedSeconds, record.birthSeconds) = (1_700_000_000, 0)
        (record.inode, record.protectionClass) = (UInt64.max, 3)
        record.relativePath = "Documents/\u{1F600} ü"
        record.target = "x"
        record.encryptionKey = [UInt8](0..<44)
        record.digest = [UInt8](0..<20)
        record.attributes = [
            FileRecord.Attribute(name: "com.apple.x", value: []), .init(name: "b", value: [1]),
        ]
        #expect(try FileRecord(archived: record.archived) == record)
    }

    @Test func `A record is the property list that other readers expect, its MBFile at index 1`() throws {
        let scratch = try Scratch()
        var record = FileRecord(mode: 0o100644)
        record.relativePath = "Documents/ü"
        record.encryptionKey = [1, 2]
        record.attributes = [FileRecord.Attribute(name: "com.apple.x", value: [7])]
        try scratch.write("record", record.archived)
        let result = run([
            "/usr/bin/python3", "-c",
            """
            import plistlib, sys
            archive = plistlib.load(open(sys.argv[1], 'rb'))
            objects, file = archive['$objects'], archive['$objects'][1]
            assert archive['$top']['root'].data == 1 and objects[0] == '$null'
            assert objects[file['$class'].data]['$classname'] == 'MBFile'
            assert objects[file['RelativePath'].data] == 'Documents/ü'
            assert objects[file['EncryptionKey'].data]['NS.data'] == b'\\x01\\x02'
            attributes = objects[file['ExtendedAttributes'].data]['NS.data']
            assert plistlib.loads(attributes) == {'com.apple.x': b'\\x07'}
            print(sorted(key for key in file))
            """, scratch.file("record"),
        ])
        #expect(
            result.output == """
                ['$class', 'Birth', 'EncryptionKey', 'ExtendedAttributes', 'Flags', 'GroupID', \
                'InodeNumber', 'LastModified', 'LastStatusChange', 'Mode', 'ProtectionClass', \
                'RelativePath', 'Size', 'UserID']

                """)
    }

    @Test func `Property lists that refer in a circle, are deep, or unfold without end, are refused`() {
        // One array that holds itself.
        let circle =
            Array("bplist00".utf8) + [0xA1, 0x00, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 15) + [10]
        #expect(throws: BinaryPlistError.tooLarge) { try BinaryPlistReader.value(of: circle) }
        var deep = BinaryPlistValue.null
        for _ in 0..<40 { deep = .array([deep]) }
        #expect(throws: BinaryPlistError.tooLarge) {
            try BinaryPlistReader.value(of: BinaryPlistWriter.bytes(of: deep))
        }
        let wide = BinaryPlistValue.array([BinaryPlistValue](repeating: .null, count: 30_000))
        #expect(throws: BinaryPlistError.tooLarge) {
            try BinaryPlistReader.value(of: BinaryPlistWriter.bytes(of: wide))
        }
    }

    @Test func `A property list with a set, which no device writes, is refused`() {
        // Found by the fuzzer: {"a": set of 1 object}.
        let bytes =
            Array("bplist00".utf8) + [0xD1, 1, 2] + [0x51, 0x61] + [0xC1, 1] + [8, 11, 13]
            + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 0, count: 15) + [15]
        #expect(throws: PropertyListError.self) { try ManifestPlist(bytes) }
    }

    @Test func `A keybag is opened by its password alone, and its keys fit`() throws {
        let made = try Keybag.create(password: Array("secret".utf8), iterations: 100)
        let bag = try Keybag(made.bytes)
        let opened = try bag.unlock(password: Array("secret".utf8))
        let (key, wrapped) = try made.unlocked.makeKey(protectionClass: 3)
        #expect(try opened.open(wrapped) == key)
        #expect(throws: BackupError.self) { try bag.unlock(password: Array("Secret".utf8)) }
        for count in 0..<made.bytes.count { _ = try? Keybag(Array(made.bytes.prefix(count))) }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 100_000])
    func `What is encrypted piece by piece is read by OpenSSL, and back`(count: Int) throws {
        let scratch = try Scratch()
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let (key, _) = try Keybag.create(password: [1], iterations: 1).unlocked.makeKey(protectionClass: 3)
        var encryptor = BlobEncryptor(key)
        var blob: [UInt8] = []
        for start in stride(from: 0, to: count, by: 1001) {
            blob += try encryptor.update(content[start..<min(count, start + 1001)])
        }
        blob += try encryptor.finish()
        #expect(blob.count == Int(BlobCipher.encryptedBytes(of: Int64(count))))
        try scratch.write("blob", blob)
        let hexadecimal = key.withUnsafeBytes { Hex.text(Array($0)) }
        _ = run([
            "/usr/bin/openssl", "enc", "-d", "-aes-256-cbc", "-K", hexadecimal, "-iv",
            String(repeating: "0", count: 32), "-in", scratch.file("blob"), "-out", scratch.file("plain"),
        ])
        #expect(try scratch.read("plain") == content)
    }

    @Test func `Damaged inputs are answered with errors`() {
        let tool = Bundle.main.bundleURL.appendingPathComponent("backup-tool").path
        let result = run([tool, "fuzz", "20000", "1"])
        #expect(result.status == 0, "\(result.output)")
    }
}

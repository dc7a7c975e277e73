import Foundation
import SandboxRules
import Testing

@Suite("Skip-backup")
struct SkipBackupTests {
    private func isSet(_ name: String, _ value: [UInt8]) -> Bool {
        name.withNameBytes { name in
            value.withUnsafeBytes { SkipBackup.isSet(name: name, value: $0) }
        }
    }

    private let excludeItem = SkipBackup.excludeItem.description

    @Test("The names are Apple's")
    func names() {
        #expect(SkipBackup.mobileBackup.description == "com.apple.MobileBackup")
        #expect(excludeItem == "com.apple.metadata:com_apple_backup_excludeItem")
    }

    @Test("Either name means skip, with or without user.")
    func eitherName() {
        #expect(isSet("com.apple.MobileBackup", [1]))
        #expect(isSet("user.com.apple.MobileBackup", [1]))
        #expect(isSet(excludeItem, SkipBackup.value))
        #expect(isSet("user." + excludeItem, SkipBackup.value))
    }

    @Test("com.apple.MobileBackup with the byte 00 means not")
    func clear() {
        #expect(!isSet("com.apple.MobileBackup", [0]))
        #expect(!isSet("user.com.apple.MobileBackup", [0]))
    }

    @Test("Any other value is a flag: tools write many")
    func anyValue() {
        let values: [[UInt8]] = [[], [0x31], Array("true".utf8), Array("com.apple.backupd".utf8), [0, 0]]
        for value in values {
            #expect(isSet(excludeItem, value))
            #expect(isSet("com.apple.MobileBackup", value))
        }
        #expect(isSet(excludeItem, [0]))
    }

    @Test("Other attributes say nothing")
    func otherNames() {
        let names = [
            "com.apple.quarantine", "com.apple.MobileBackup2", "com.apple.mobilebackup", "user.MobileBackup",
            "security.capability", "", excludeItem + "s",
        ]
        for name in names {
            #expect(!isSet(name, [1]))
            #expect(!name.withNameBytes { SkipBackup.isFlag($0) })
        }
    }

    @Test("What is written is the binary property list of com.apple.backupd, 61 bytes")
    func value() throws {
        #expect(SkipBackup.value.count == 61)
        let list = try PropertyListSerialization.propertyList(from: Data(SkipBackup.value), format: nil)
        #expect(list as? String == "com.apple.backupd")
        let head: [UInt8] = [
            0x62, 0x70, 0x6c, 0x69, 0x73, 0x74, 0x30, 0x30, 0x5f, 0x10, 0x11, 0x63, 0x6f, 0x6d,
        ]
        #expect(SkipBackup.value.starts(with: head))
        #expect(SkipBackup.value.last == 0x1c)
    }
}

import PropertyLists
import SandboxRules
import Testing

@testable import Device

@Suite struct CodeSignatureTests {
    private let entitlements = Array("<plist>granted</plist>".utf8)

    private func read(_ file: [UInt8]) -> [UInt8]? {
        CodeSignature.entitlements(sizeBytes: UInt64(file.count)) { offset, count in
            guard offset < UInt64(file.count) else { return [] }
            return Array(file[Int(offset)..<min(file.count, Int(offset) + count)])
        }
    }

    @Test(arguments: [(true, false), (true, true), (false, false), (false, true)])
    func everyKindOfThinFileIsRead(is64: Bool, isBigEndian: Bool) {
        #expect(read(MachO.signed(entitlements, is64: is64, isBigEndian: isBigEndian)) == entitlements)
    }

    @Test(arguments: [false, true])
    func aUniversalFileIsReadWhicheverSliceIsSigned(is64: Bool) {
        let unsigned = MachO.words([0xFEED_FACF, 0x0100_000C, 0, 2, 0, 0, 0, 0], false)
        #expect(read(MachO.fat([unsigned, MachO.signed(entitlements)], is64: is64)) == entitlements)
        #expect(read(MachO.fat([unsigned], is64: is64)) == nil)
    }

    @Test func onlyTheRangesThatMatterAreRead() {
        let file = MachO.signed(entitlements)
        var most = 0
        let found = CodeSignature.entitlements(sizeBytes: 4 << 40) { offset, count in
            most = max(most, count)
            guard offset < UInt64(file.count) else { return [] }
            return Array(file[Int(offset)..<min(file.count, Int(offset) + count)])
        }
        #expect(found == entitlements)
        #expect(most < 4096)
    }

    @Test func otherFilesHaveNone() {
        for file in [[], [0xCA], Array("#!/bin/sh\necho hello, world and more of it\n".utf8)] {
            #expect(read(file) == nil)
        }
    }

    /// A Java class begins with the same four bytes as a universal file.
    @Test func aJavaClassHasNone() {
        #expect(read([0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 0x34] + [UInt8](repeating: 9, count: 4000)) == nil)
    }

    @Test func everyTruncationIsNoneOrWhole() {
        for file in [
            MachO.signed(entitlements), MachO.fat([MachO.signed(entitlements, is64: false)], is64: true),
        ] {
            for length in 0..<file.count { #expect(read(Array(file.prefix(length))) == nil) }
        }
    }

    @Test func noChangedByteOrWordLeadsOutOfTheFile() {
        let files = [
            MachO.signed(entitlements), MachO.signed(entitlements, is64: false, isBigEndian: true),
            MachO.fat([MachO.signed(entitlements)]), MachO.fat([MachO.signed(entitlements)], is64: true),
        ]
        for file in files {
            for place in 0..<min(file.count, 240) {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
                    var changed = file
                    changed[place] = value
                    #expect((read(changed)?.count ?? 0) <= file.count)
                    for next in place..<min(place + 4, file.count) { changed[next] = value }
                    #expect((read(changed)?.count ?? 0) <= file.count)
                }
            }
        }
    }
}

import CloudSync
import SandboxRules
import Testing

@testable import CloudSync
@testable import SyncLog

@Suite struct NameTests {
    @Test func `Names are one here exactly where they are one on the disk`() {
        let policy = NamePolicy.device
        for value in (0x20...0x2_fa1f as ClosedRange<UInt32>) {
            guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned else {
                continue
            }
            let name = "a" + String(scalar) + "\u{301}"
            let normal = NormalizedName(name)
            // The normal form is the same name to the disk, and is its own normal form.
            if policy.key(normal.text) != policy.key(name) || NormalizedName(normal.text) != normal {
                Issue.record("\(String(value, radix: 16))")
            }
        }
    }

    @Test func `A numbered name keeps its extension and fits a disk`() {
        #expect(UsableName.numbered("a.txt", 2, isDirectory: false) == "a 2.txt")
        #expect(UsableName.numbered("a.txt", 2, isDirectory: true) == "a.txt 2")
        #expect(UsableName.numbered(".hidden", 2, isDirectory: false) == ".hidden 2")
        let long = String(repeating: "\u{1f600}", count: 63)
        for name in [long, long + ".x", "." + String(repeating: "x", count: 254)] {
            let numbered = UsableName.numbered(name, 12, isDirectory: false)
            #expect(UsableName.isUsable(numbered))
            #expect(numbered.contains(" 12"))
        }
    }
}

import SandboxRules
import Testing

@Suite struct KeyValueLimitsTests {
    private typealias Usage = KeyValueLimits.Usage

    @Test func aKeyIsAsLongAsEachGenerationAllows() {
        let limits = KeyValueLimits.ios5
        let long = String(repeating: "k", count: 64)
        #expect(limits.refusal(setting: long, bytes: 1, replacing: nil, in: Usage()) == nil)
        #expect(limits.refusal(setting: long + "k", bytes: 1, replacing: nil, in: Usage()) != nil)
        // Two bytes of UTF-8, one unit of UTF-16.
        let other = String(repeating: "\u{E4}", count: 64)
        #expect(limits.refusal(setting: other, bytes: 1, replacing: nil, in: Usage()) != nil)
        let current = KeyValueLimits.current
        #expect(current.refusal(setting: other + other, bytes: 1, replacing: nil, in: Usage()) == nil)
        #expect(current.refusal(setting: other + other + "k", bytes: 1, replacing: nil, in: Usage()) != nil)
        #expect(current.refusal(setting: "", bytes: 1, replacing: nil, in: Usage()) != nil)
    }

    @Test(arguments: [(KeyValueLimits.ios5, 64 << 10), (.current, 1 << 20)])
    func oneValueAndAllTogetherHaveTheirBytes(limits: KeyValueLimits, most: Int) {
        #expect(limits.refusal(setting: "a", bytes: most, replacing: nil, in: Usage()) == nil)
        #expect(limits.refusal(setting: "a", bytes: most + 1, replacing: nil, in: Usage()) != nil)
        let almost = Usage(keys: 1, bytes: most - 10)
        #expect(limits.refusal(setting: "b", bytes: 10, replacing: nil, in: almost) == nil)
        #expect(limits.refusal(setting: "b", bytes: 11, replacing: nil, in: almost) != nil)
        #expect(limits.refusal(setting: "a", bytes: most, replacing: most - 10, in: almost) == nil)
    }

    /// Two devices may have filled it together.
    @Test func whatMakesATooFullStoreSmallerIsSet() {
        let limits = KeyValueLimits.ios5
        let over = Usage(keys: 2, bytes: 80 << 10)
        #expect(limits.isExceeded(by: over) && !limits.isExceeded(by: Usage(keys: 2, bytes: 64 << 10)))
        #expect(limits.refusal(setting: "a", bytes: 10, replacing: 40 << 10, in: over) == nil)
        #expect(limits.refusal(setting: "a", bytes: 40 << 10, replacing: 40 << 10, in: over) == nil)
        #expect(limits.refusal(setting: "a", bytes: (40 << 10) + 1, replacing: 40 << 10, in: over) != nil)
        #expect(limits.refusal(setting: "c", bytes: 1, replacing: nil, in: over) != nil)
    }

    @Test func currentSystemsCountKeys() {
        let full = Usage(keys: 1024, bytes: 1024)
        #expect(KeyValueLimits.current.refusal(setting: "n", bytes: 1, replacing: nil, in: full) != nil)
        #expect(KeyValueLimits.current.refusal(setting: "a", bytes: 1, replacing: 1, in: full) == nil)
        #expect(KeyValueLimits.ios5.refusal(setting: "n", bytes: 1, replacing: nil, in: full) == nil)
        let empty = Usage(keys: 16_384, bytes: 0)
        #expect(KeyValueLimits.ios5.refusal(setting: "n", bytes: 0, replacing: nil, in: empty) != nil)
    }
}

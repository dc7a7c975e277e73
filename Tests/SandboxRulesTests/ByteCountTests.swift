import SandboxRules
import Testing

@Suite struct ByteCountTests {
    @Test func sizesAreReadAsPeopleWriteThem() {
        #expect(ByteCount.parse("0") == 0)
        #expect(ByteCount.parse("12b") == 12)
        #expect(ByteCount.parse("5G") == 5_000_000_000)
        #expect(ByteCount.parse("5gb") == 5_000_000_000)
        #expect(ByteCount.parse("1MiB") == 1_048_576)
        #expect(ByteCount.parse("1X") == nil)
        #expect(ByteCount.parse("G") == nil)
        #expect(ByteCount.parse("1.5G") == nil)
    }
}

import Testing

/// What the tests' own fixtures promise: a test that looks at half of what is there proves nothing.
@Suite struct FixturesTests {
    @Test func aFileThatTheKernelMakesUpIsReadWhole() throws {
        let maps = try #require(text("/proc/self/maps"))
        #expect(maps.utf8.count > 8192)
        #expect(maps.contains("[stack]"))
    }
}

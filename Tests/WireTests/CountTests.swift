import Testing

@testable import Wire

@Suite struct CountTests {
    @Test(arguments: [
        (0, "0 items"), (1, "1 item"), (999, "999 items"), (1234, "1,234 items"),
        (1_000_000, "1,000,000 items"),
    ])
    func numbersAsPeopleReadThem(count: Int, text: String) {
        #expect(counted(count, "item") == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9_949, "9.9 kB"), (9_950, "10 kB"),
            (2_000_000, "2.0 MB"),
            (Int64.max, "9223372 TB"),
        ] as [(Int64, String)])
    func bytesAsPeopleReadThem(bytes: Int64, text: String) {
        #expect(byteCount(bytes) == text)
    }
}

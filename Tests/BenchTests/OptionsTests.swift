import Testing

@testable import apphome_bench

@Suite struct OptionsTests {
    @Test func `Directories, scale and peer are read from the command line`() throws {
        let options = try Options(arguments: [
            "native=/a", "apphome=/b=c", "--against", "apphome", "--rounds", "3", "--count", "7", "--entries",
            "8", "--size-mib", "9", "--only", "rename", "--pin", "no", "--seed", "5", "--at-most", "1.05",
        ])
        #expect(options.directories.map(\.label) == ["native", "apphome"])
        #expect(options.directories.map(\.path) == ["/a", "/b=c"])
        #expect(options.scale == Scale(callCount: 7, entryCount: 8, sizeMiB: 9))
        #expect(options.roundCount == 3 && options.seed == 5 && options.pinning == .no)
        #expect(options.only == ["rename"] && options.peer == "apphome" && options.ratioLimit == 1.05)
    }

    @Test(arguments: [
        [], ["/a"], ["--rounds", "3"], ["native=/a", "--rounds", "0"], ["native=/a", "--rounds"],
        ["native=/a", "--nothing"], ["native=/a", "--pin", "maybe"], ["native=/a", "native=/b"],
        ["native=/a", "--against", "pll"], ["native=/a", "--only", "fly"], ["native=/a", "--at-most", "1"],
    ])
    func `What means nothing is refused`(arguments: [String]) {
        #expect(throws: UsageError.self) { try Options(arguments: arguments) }
    }

    @Test func `No two workloads have one name`() {
        #expect(Set(Workload.all.map(\.name)).count == Workload.all.count)
    }
}

import FuseKit
import Testing

@testable import apphome_bench

@Suite struct OptionsTests {
    @Test func `Directories, scale and peer are read from the command line`() throws {
        let options = try Options(arguments: [
            "native=/a", "apphome=/b=c", "--against", "apphome", "--rounds", "3", "--count", "7", "--entries",
            "8", "--size-mib", "9", "--only", "rename", "--pin", "no", "--seed", "5", "--at-most", "1.05",
            "--tree", "11", "--tree-rounds", "4", "--floor", "/f", "--svg", "/s", "--markdown",
        ])
        #expect(options.directories.map(\.label) == ["native", "apphome"])
        #expect(options.directories.map(\.path) == ["/a", "/b=c"])
        #expect(options.scale == Scale(callCount: 7, entryCount: 8, sizeMiB: 9, treeFileCount: 11))
        #expect(options.roundCount == 3 && options.seed == 5 && options.pinning == .no)
        #expect(options.only == ["rename"] && options.reference == "apphome" && options.ratioLimit == 1.05)
        #expect(options.floor?.path == "/f" && options.picturePath == "/s" && options.format == .markdown)
        #expect(options.roundCount(of: .untar) == 4 && options.roundCount(of: .rename) == 3)
    }

    @Test func `Digits after the last @ of a directory are its server's process`() throws {
        let options = try Options(arguments: [
            "native=/a", "b=/b@c@12", "c=/d@e", "d=/f@", "--peer", "p=/p@7", "--peer", "q=/q", "r=/r@0",
        ])
        #expect(options.directories.map(\.path) == ["/a", "/b@c", "/d@e", "/f@", "/p", "/q", "/r@0"])
        #expect(options.directories.map(\.serverProcessID) == [nil, 12, nil, nil, 7, nil, nil])
        #expect(options.directories.filter(\.isPeer).map(\.label) == ["p", "q"])
    }

    @Test(arguments: [
        [], ["/a"], ["--rounds", "3"], ["native=/a", "--rounds", "0"], ["native=/a", "--rounds"],
        ["native=/a", "--nothing"], ["native=/a", "--pin", "maybe"], ["native=/a", "native=/b"],
        ["native=/a", "--against", "pll"], ["native=/a", "--only", "fly"], ["native=/a", "--at-most", "1"],
        ["native=/a", "--svg", "/s"], ["a=/a", "b=/b", "--svg", "/s"], ["native=/a", "--peer", "/b"],
        ["native=/a", "--peer", "native=/b"], ["native=/a", "--floor"], ["native=/a", "--tree", "0"],
    ])
    func `What means nothing is refused`(arguments: [String]) {
        #expect(throws: UsageError.self) { try Options(arguments: arguments) }
    }

    @Test func `The floor takes a directory and a transport`() throws {
        #expect(try FloorCommand(arguments: ["/f"]).transport == .auto)
        for words in [["/f", "--transport", "classic"], ["--transport", "classic", "/f"]] {
            let command = try FloorCommand(arguments: words)
            #expect(command.path == "/f" && command.transport == .classic)
        }
        let wrong = [
            [], ["--transport", "ring"], ["/f", "/g"], ["/f", "--transport"], ["/f", "--transport", "x"],
        ]
        for words in wrong {
            #expect(throws: UsageError.self, "\(words)") { try FloorCommand(arguments: words) }
        }
    }

    @Test func `No two workloads have one name`() {
        #expect(Set(Workload.all.map(\.name)).count == Workload.all.count)
    }
}

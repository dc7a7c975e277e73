import Foundation
import FuseKit
import SystemPackage
import Testing

@testable import apphome_bench

@Suite struct FloorTests {
    private static let getExtendedAttribute: UInt32 = 22

    @Test func `A call is one request, and nothing else is asked`() throws {
        let folder = try Folder()
        let mount = try FloorMount(at: folder.path, transport: .classic)
        defer {
            mount.unmount()
            mount.waitUntilEnded()
        }
        #expect(mount.transport == "classic")
        let floor = try Floor(
            Options.Directory(label: "floor", path: folder.path), scale: Scale(callCount: 100))
        let before = mount.requestCounts
        #expect(try floor.sampleSeconds() > 0)
        let after = mount.requestCounts
        let added = after.map { ($0.key, $0.value - (before[$0.key] ?? 0)) }.filter { $0.1 > 0 }
        // The sample's calls, and the one before its time runs.
        #expect(Dictionary(uniqueKeysWithValues: added) == [Self.getExtendedAttribute: 101])
    }

    @Test func `A directory that is not the floor is refused`() throws {
        let folder = try Folder()
        let directory = Options.Directory(label: "floor", path: folder.path)
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try Floor(directory, scale: Scale()) }
        var options = try Options(arguments: ["native=\(folder.path)", "--only", "rename"])
        options.floor = directory
        #expect(throws: BenchmarkError.self) { _ = try Benchmark(options) }
        #expect(folder.names == [])
    }

    @Test func `A run with a floor has a sample of it in each round`() throws {
        let folder = try Folder()
        let mountFolder = try Folder()
        let mount = try FloorMount(at: mountFolder.path)
        defer {
            mount.unmount()
            mount.waitUntilEnded()
        }
        let scale = ["--count", "5", "--rounds", "3", "--size-mib", "1", "--pin", "no"]
        let only = ["--only", "rename", "--only", "write large", "--floor", mountFolder.path]
        var benchmark = try Benchmark(
            try Options(arguments: ["native=\(folder.path)@\(getpid())"] + scale + only))
        let results = benchmark.run { _ in }
        #expect(results.map(\.floorSeconds.count) == [3, 0])
        #expect(results.allSatisfy { $0.series[0].serverSeconds.count == 3 })
        #expect(results[1].serverMicroseconds(of: "native") ?? 0 > 0)
    }
}

@Suite struct ServerClockTests {
    @Test func `It counts the process's CPU time`() throws {
        let clock = try ServerClock(processID: getpid())
        let before = try #require(clock.seconds)
        // clock(3): the same in microseconds.
        let end = Int(Foundation.clock()) + 20_000
        while Int(Foundation.clock()) < end {}
        let after = try #require(clock.seconds)
        #expect(after - before >= 0.019)
    }

    @Test func `A process that is not there is refused`() throws {
        let child = try Foundation.Process.run(URL(filePath: "/bin/true"), arguments: [])
        child.waitUntilExit()
        for gone in [child.processIdentifier, .max] {
            #expect(throws: Errno.noSuchProcess) { _ = try ServerClock(processID: gone) }
        }
    }
}

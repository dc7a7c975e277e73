import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import apphome_bench

@Suite struct BenchmarkTests {
    private func options(_ folders: [String], only: [String] = []) throws -> Options {
        let directories = zip(["native", "b"], folders).map { "\($0)=\($1)" }
        let chosen = only.flatMap { ["--only", $0] }
        let scale = [
            "--count", "3", "--entries", "5", "--size-mib", "1", "--rounds", "2", "--tree", "40",
            "--tree-rounds", "1", "--pin", "no",
        ]
        return try Options(arguments: directories + scale + chosen)
    }

    @Test func `Every workload has a sample of each round and directory, and nothing stays behind`() throws {
        let first = try Folder()
        let second = try Folder()
        let options = try options([first.path, second.path])
        var benchmark = try Benchmark(options)
        let archive = try #require(benchmark.source?.archive)
        #expect(FileManager.default.fileExists(atPath: archive))
        let results = benchmark.run { _ in }
        #expect(benchmark.failures.map(\.message) == [])
        #expect(results.map(\.workload.name) == options.selection().runs.map(\.name))
        for result in results {
            let rounds = result.workload.isOnTree ? 1 : 2
            #expect(result.series.map(\.samplesSeconds.count) == [rounds, rounds], "\(result.workload.name)")
            #expect(try #require(result.figure(of: "b")) > 0, "\(result.workload.name)")
        }
        #expect(first.names == [])
        #expect(second.names == [])
        #expect(!FileManager.default.fileExists(atPath: archive))
    }

    @Test func `A directory that is not there is refused, and the others are left clean`() throws {
        let folder = try Folder()
        let options = try options([folder.path, "/nonexistent"])
        #expect(throws: BenchmarkError.self) { _ = try Benchmark(options) }
        #expect(folder.names == [])
    }

    @Test func `A peer that is not there is left out, and the rest is measured`() throws {
        let folder = try Folder()
        let arguments = ["native=\(folder.path)", "--peer", "gone=/nonexistent", "--only", "rename"]
        let scale = ["--count", "3", "--rounds", "2", "--pin", "no"]
        var benchmark = try Benchmark(try Options(arguments: arguments + scale))
        let result = try #require(benchmark.run { _ in }.first)
        #expect(result.figure(of: "native") != nil && result.figure(of: "gone") == nil)
        #expect(benchmark.failures.map(\.directory.label) == ["gone"])
    }

    @Test func `A directory that fails in one round has no samples, and the others have all`() throws {
        let first = try Folder()
        let second = try Folder()
        var benchmark = try Benchmark(try options([first.path, second.path], only: ["rename"]))
        let calls = Mutex(0)
        let workload = Workload(
            name: "fails late", measure: .microsecondsPerCall, unitCount: { _ in 1 },
            setUp: { (arena) throws(Errno) in try arena.createSmallFiles(arena.names) },
            run: { (arena) throws(Errno) in
                if arena.label == "b",
                    calls.withLock({
                        $0 += 1
                        return $0
                    }) == 2
                {
                    throw .notSupported
                }
            },
            tearDown: { (arena) throws(Errno) in try arena.unlinkAll(arena.names) })
        let result = try #require(benchmark.measure(workload).first)
        #expect(result.series.map(\.samplesSeconds.count) == [2, 0])
        #expect(benchmark.failures.map(\.directory.label) == ["b"])
        #expect(benchmark.failures.first?.message.contains("fails late in b, run") == true)
        // What it had made is gone.
        #expect(second.deepNames.filter { $0.contains("file") } == [])
    }

    @Test func `A program's own words tell why it failed, and the next failure has its own`() throws {
        let folder = try Folder()
        var benchmark = try Benchmark(try options([folder.path], only: ["rename"]))
        for name in ["first", "second"] {
            let workload = Workload(
                name: name, measure: .millisecondsPerRun, unitCount: { _ in 1 },
                run: { (arena) throws(Errno) in try arena.run(.tar, ["-xf", "/nonexistent-\(name)"]) })
            _ = benchmark.measure(workload)
            let message = try #require(benchmark.failures.last?.message)
            #expect(message.contains("\(name) in native, run: "))
            #expect(message.contains("/nonexistent-\(name): Cannot open") && !message.contains("\n"))
        }
        let silent = Workload(
            name: "silent", measure: .millisecondsPerRun, unitCount: { _ in 1 },
            run: { (_) throws(Errno) in throw .notSupported })
        _ = benchmark.measure(silent)
        #expect(benchmark.failures.last?.message == "silent in native, run: \(Errno.notSupported)")
    }

    @Test func `JSON holds every sample, the ratio to native, F and the server's time`() throws {
        let result = WorkloadResult(
            workload: .rename, isPinned: false, unitCount: 10,
            series: [
                Series(directory: "native", samplesSeconds: [1, 1]),
                Series(directory: "b", samplesSeconds: [3, 3], serverSeconds: [0.5, 1.5]),
            ], floorSeconds: [0.1, 0.1])
        let options = try Options(arguments: ["native=/a", "b=/b", "--pin", "no"])
        let report = Report(options: options, results: [result], failures: [])
        let parsed = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
        #expect((parsed?["floorMicroseconds"] as? [String: Double]) == ["unpinned": 100_000])
        let measurements = try #require(parsed?["measurements"] as? [[String: Any]])
        #expect(measurements.count == 2)
        let second = try #require(measurements.first { $0["directory"] as? String == "b" })
        #expect(second["samplesSeconds"] as? [Double] == [3, 3])
        #expect((second["ratios"] as? [String: Double]) == ["native": 3])
        #expect(second["floorMultiple"] as? Double == 2)
        #expect(second["serverMicrosecondsPerUnit"] as? Double == 100_000)
    }
}

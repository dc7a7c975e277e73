import Foundation
import Testing

@testable import apphome_bench

/// An empty folder that goes with this value.
private struct Folder: ~Copyable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "apphome-test-\(UUID())").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["unreadable"] }
}

@Suite struct BenchmarkTests {
    private func options(_ folders: [String], only: [String] = []) throws -> Options {
        let directories = zip(["native", "b"], folders).map { "\($0)=\($1)" }
        let chosen = only.flatMap { ["--only", $0] }
        let scale = ["--count", "3", "--entries", "5", "--size-mib", "1", "--rounds", "2"]
        return try Options(arguments: directories + scale + chosen)
    }

    @Test func `Every workload has a sample of each round and directory, and nothing stays behind`() throws {
        let first = try Folder()
        let second = try Folder()
        var options = try options([first.path, second.path])
        options.pinning = .no
        var benchmark = try Benchmark(options)
        var failures: [String] = []
        let results = benchmark.run { progress in
            if case .failed(let message) = progress { failures.append(message) }
        }
        #expect(failures == [])
        #expect(results.count == benchmark.selection().runs.count)
        for result in results {
            #expect(result.series.map(\.samplesSeconds.count) == [2, 2], "\(result.workload.name)")
            #expect(result.figure(of: "b") > 0, "\(result.workload.name)")
        }
        #expect(first.names == [])
        #expect(second.names == [])
    }

    @Test func `A directory that is not there is refused, and the others are left clean`() throws {
        let folder = try Folder()
        let options = try options([folder.path, "/nonexistent"])
        #expect(throws: BenchmarkError.self) { _ = try Benchmark(options) }
        #expect(folder.names == [])
    }

    @Test func `JSON holds every sample and the ratio to native`() throws {
        let folder = try Folder()
        let other = try Folder()
        let options = try options([folder.path, other.path], only: ["rename"])
        var benchmark = try Benchmark(options)
        let report = Report(options: options, results: benchmark.run { _ in }, skipped: [])
        let parsed = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
        let measurements = try #require(parsed?["measurements"] as? [[String: Any]])
        #expect(measurements.count == 4)
        let second = try #require(measurements.first { $0["directory"] as? String == "b" })
        #expect((second["samplesSeconds"] as? [Double])?.count == 2)
        #expect(((second["ratios"] as? [String: Double])?["native"] ?? 0) > 0)
    }

    @Test func `A ratio above the limit is named, one at it is not`() throws {
        var options = try Options(arguments: [
            "native=/a", "p=/b", "x=/c", "--against", "p", "--at-most", "2",
        ])
        let series = [
            Series(directory: "native", samplesSeconds: [9]), Series(directory: "p", samplesSeconds: [1]),
            Series(directory: "x", samplesSeconds: [2]),
        ]
        let result = WorkloadResult(workload: .rename, isPinned: true, unitCount: 1, series: series)
        #expect(Report(options: options, results: [result], skipped: []).excesses() == [])
        options.ratioLimit = 1.5
        #expect(Report(options: options, results: [result], skipped: []).excesses().count == 1)
    }
}

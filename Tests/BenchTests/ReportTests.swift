import Testing

@testable import apphome_bench

@Suite struct ReportTests {
    private func result(
        _ workload: Workload = .rename, unitCount: Int = 1, floor: [Double] = [], series: [Series]
    ) -> WorkloadResult {
        WorkloadResult(
            workload: workload, isPinned: true, unitCount: unitCount, series: series, floorSeconds: floor)
    }

    /// The words of the table's row that begins with `name`.
    private func row(_ name: String, _ report: Report) -> [Substring] {
        (report.lines().first { $0.hasPrefix(name) } ?? "").split(separator: " ")
    }

    @Test func `A ratio above the limit is named; one at it, and a peer's, is not`() throws {
        var options = try Options(arguments: [
            "native=/a", "p=/b", "x=/c", "--peer", "slow=/d", "--against", "p", "--at-most", "2",
        ])
        let result = result(series: [
            Series(directory: "native", samplesSeconds: [9]), Series(directory: "p", samplesSeconds: [1]),
            Series(directory: "x", samplesSeconds: [2]), Series(directory: "slow", samplesSeconds: [100]),
        ])
        #expect(Report(options: options, results: [result], failures: []).excesses() == [])
        options.ratioLimit = 1.5
        let excesses = Report(options: options, results: [result], failures: []).excesses()
        #expect(excesses == ["rename (pinned): x takes 2.00 times p"])
    }

    @Test func `What lies beyond native is counted in requests to the floor`() {
        // 2 us and 5 us beyond native, per call; F is 2 us, then 10 us in the round that was disturbed.
        let result = result(
            unitCount: 1_000, floor: [2e-6, 2e-6, 10e-6],
            series: [
                Series(directory: "native", samplesSeconds: [0.001, 0.001, 0.002]),
                Series(directory: "b", samplesSeconds: [0.006, 0.006, 0.004]),
            ])
        #expect(abs((result.floorMultiple(of: "b", beyond: "native") ?? 0) - 2.5) < 1e-9)
        #expect(result.floorMultiple(of: "gone", beyond: "native") == nil)
        let bulk = self.result(.sequentialRead, floor: [1], series: result.series)
        #expect(bulk.floorMultiple(of: "b", beyond: "native") == nil)
        #expect(self.result(series: result.series).floorMultiple(of: "b", beyond: "native") == nil)
    }

    @Test func `The best peer is the one that takes least`() throws {
        let options = try Options(arguments: [
            "native=/n", "a=/a", "--peer", "slow=/s", "--peer", "fast=/f", "--pin", "yes",
        ])
        let series = [("native", 1.0), ("a", 3), ("slow", 6), ("fast", 2)].map {
            Series(directory: $0.0, samplesSeconds: [$0.1])
        }
        let report = Report(options: options, results: [result(series: series)], failures: [])
        #expect(row("rename", report).contains("1.50:fast"))
        #expect(report.lines().first?.contains("/best: to the fastest peer") == true)
    }

    @Test func `A figure is the median in the workload's own unit`() {
        let series = [Series(directory: "a", samplesSeconds: [0.5, 4, 1])]
        #expect(result(.rename, unitCount: 10, series: series).figure(of: "a") == 100_000)
        #expect(result(.sequentialRead, unitCount: 10, series: series).figure(of: "a") == 10)
        #expect(result(.untar, series: series).figure(of: "a") == 1_000)
        #expect(result(.untar, series: series).figure(of: "b") == nil)
    }

    @Test func `The server's time is the mean over all calls`() {
        let series = [Series(directory: "a", samplesSeconds: [1, 1], serverSeconds: [0.002, 0.004])]
        let result = result(unitCount: 100, series: series)
        #expect(abs((result.serverMicroseconds(of: "a") ?? 0) - 30) < 1e-9)
        #expect(
            self.result(series: [Series(directory: "a", samplesSeconds: [1])]).serverMicroseconds(of: "a")
                == nil)
    }

    @Test func `A row has figure, ratio and requests, and dashes for what could not be done`() throws {
        let options = try Options(arguments: [
            "native=/a", "b=/b@1", "--peer", "c=/c", "--floor", "/f", "--pin", "yes",
        ])
        let done = result(
            unitCount: 1_000, floor: [2e-6],
            series: [
                Series(directory: "native", samplesSeconds: [0.002]),
                Series(directory: "b", samplesSeconds: [0.006], serverSeconds: [0.003]),
                Series(directory: "c"),
            ])
        let failure = Failure(directory: options.directories[2], message: "rename in c, run: no")
        let report = Report(options: options, results: [done], failures: [failure])
        #expect(
            row("rename", report) == [
                "rename", "yes", "us", "2.0", "6.0", "3.00", "2.0", "-", "-", "-", "-",
            ])
        #expect(
            row("workload", report).suffix(7) == ["b", "/native", "xF", "/best", "c", "/native", "xF"])
        #expect(report.lines().last == "could not: rename in c, run: no")
        #expect(report.lines().first?.contains("F = 2.0 us pinned") == true)
        let server = try #require(report.lines().last { $0.hasPrefix("rename") })
        #expect(server.split(separator: " ") == ["rename", "yes", "3.0"])
        let markdown = report.markdown()
        #expect(markdown.contains("| rename, pinned | us | 2.0 | 6.0 (3.00x, +2.0 F) | - |"))
        #expect(markdown.contains("| workload | unit | native | b | c |"))
        #expect(markdown.last == "* could not: rename in c, run: no")
    }
}

import Glibc
import Posix
import Synchronization
import SystemPackage

/// Set by SIGINT and SIGTERM: the run ends after the sample that it is in, and cleans up.
let isInterrupted = Atomic<Bool>(false)

/// What went wrong, and where.
struct BenchmarkError: Error {
    let message: String
}

/// What a run tells while it lasts.
enum Progress {
    case began(String)
    case failed(String)
}

/// One workload in one directory: the seconds of each round.
struct Series: Sendable {
    let directory: String
    var samplesSeconds: [Double] = []
}

/// One workload, pinned or not: a series for each directory.
struct WorkloadResult: Sendable {
    let workload: Workload
    let isPinned: Bool
    let unitCount: Int
    var series: [Series]
}

/// Runs workloads in every directory, in interleaved rounds.
struct Benchmark {
    let options: Options
    private let arenas: [Arena]
    private let everywhere: Affinity
    private var generator: SeededGenerator

    init(_ options: Options) throws(BenchmarkError) {
        self.options = options
        generator = SeededGenerator(seed: options.seed)
        var arenas: [Arena] = []
        do throws(Errno) { everywhere = try Affinity.current() } catch {
            throw BenchmarkError(message: "cannot read the CPU affinity: \(error)")
        }
        for directory in options.directories {
            do throws(Errno) {
                arenas.append(
                    try Arena(label: directory.label, directory: directory.path, scale: options.scale))
            } catch {
                for arena in arenas { arena.remove() }
                throw BenchmarkError(
                    message: "cannot make a folder in \(directory.path): \(error); give a writable directory")
            }
        }
        self.arenas = arenas
    }

    /// The workloads that this run measures, and those that it cannot.
    func selection() -> (runs: [Workload], skipped: [Workload]) {
        let wanted = Workload.all.filter { options.only.isEmpty || options.only.contains($0.name) }
        if KernelCaches.canDrop { return (wanted, []) }
        return (wanted.filter { !$0.isCold }, wanted.filter(\.isCold))
    }

    /// Measures everything.
    /// - Parameter report: called with each workload's name as it begins, and with what went wrong.
    /// - Returns: a result for each workload and pinning; fewer after a signal, and none for a workload that
    ///   one of the directories cannot do.
    mutating func run(report: (Progress) -> Void) -> [WorkloadResult] {
        defer { for arena in arenas { arena.remove() } }
        var results: [WorkloadResult] = []
        for workload in selection().runs where !isInterrupted.load(ordering: .relaxed) {
            report(.began(workload.name))
            do throws(BenchmarkError) {
                results += try measure(workload)
            } catch {
                report(.failed(error.message))
                for arena in arenas { arena.clear() }
            }
        }
        return results
    }

    private mutating func measure(_ workload: Workload) throws(BenchmarkError) -> [WorkloadResult] {
        for arena in arenas { try step("set-up", workload, arena, workload.setUp) }
        let pinnings: [Bool] =
            switch options.pinning {
            case .yes: [true]
            case .no: [false]
            case .both: [true, false]
            }
        var results = pinnings.map { isPinned in
            WorkloadResult(
                workload: workload, isPinned: isPinned, unitCount: workload.unitCount(options.scale),
                series: arenas.map { Series(directory: $0.label) })
        }
        for _ in 0..<options.roundCount {
            for index in results.indices { try addRound(to: &results[index]) }
            if isInterrupted.load(ordering: .relaxed) { break }
        }
        for arena in arenas { try step("tear-down", workload, arena, workload.tearDown) }
        return results
    }

    /// One sample in each directory, in random order.
    private mutating func addRound(to result: inout WorkloadResult) throws(BenchmarkError) {
        let cpu = everywhere.firstCPU ?? 0
        do throws(Errno) {
            try (result.isPinned ? Affinity.only(cpu: cpu) : everywhere).apply()
        } catch {
            throw BenchmarkError(message: "cannot pin to CPU \(cpu): \(error)")
        }
        for index in arenas.indices.shuffled(using: &generator) {
            let seconds = try sample(result.workload, in: arenas[index])
            result.series[index].samplesSeconds.append(seconds)
        }
    }

    private func sample(_ workload: Workload, in arena: Arena) throws(BenchmarkError) -> Double {
        try step("preparation", workload, arena, workload.prepare)
        arena.settle()
        let start = ContinuousClock.now
        try step("run", workload, arena, workload.run)
        let took = ContinuousClock.now - start
        try step("clean-up", workload, arena, workload.reset)
        return took / .seconds(1)
    }

    private func step(
        _ name: String, _ workload: Workload, _ arena: Arena, _ body: Workload.Step
    ) throws(BenchmarkError) {
        do throws(Errno) { try body(arena) } catch {
            throw BenchmarkError(message: "\(workload.name) in \(arena.label), \(name): \(error)")
        }
    }
}

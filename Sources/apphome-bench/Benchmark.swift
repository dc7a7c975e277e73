import Glibc
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
    case failed(Failure)
}

/// Runs workloads in every directory, in interleaved rounds.
struct Benchmark {
    let options: Options
    private let arenas: [Arena]
    /// By label; those of directories whose calls are not this process's own.
    private let threads: [String: UserThread]
    private let clocks: [String: ServerClock]
    private let floor: Floor?
    let source: SourceTree?
    private let everywhere: Affinity
    private var generator: SeededGenerator
    /// What directories could not do.
    private(set) var failures: [Failure] = []
    /// Labels of those that take no further part in the workload that runs.
    private var broken: Set<String> = []

    /// Makes a folder in each directory.
    /// - Throws: where one cannot be made, unless that directory need not do everything.
    init(_ options: Options) throws(BenchmarkError) {
        self.options = options
        generator = SeededGenerator(seed: options.seed)
        everywhere = try naming("cannot read the CPU affinity") { () throws(Errno) in
            try Affinity.current()
        }
        clocks = try serverClocks(options)
        let threads = try userThreads(options)
        self.threads = threads
        if let directory = options.floor {
            floor = try openFloor(directory, scale: options.scale)
        } else {
            floor = nil
        }
        source = try sourceTree(options)
        var arenas: [Arena] = []
        for directory in options.directories {
            do throws(Errno) {
                let (scale, source) = (options.scale, source)
                arenas.append(
                    try acting(threads[directory.label]) { () throws(Errno) in
                        try Arena(directory, scale: scale, source: source)
                    })
            } catch {
                let message = "cannot make a folder in \(directory.path): \(error)"
                if directory.isPeer {
                    failures.append(Failure(directory: directory, message: message))
                    continue
                }
                remove(arenas, threads)
                source?.remove()
                throw BenchmarkError(message: message + "; give a writable directory")
            }
        }
        self.arenas = arenas
    }

    /// Measures everything.
    /// - Parameter report: called with each workload's name as it begins, and with what went wrong.
    /// - Returns: a result for each workload and pinning; fewer after a signal. A directory that cannot do a
    ///   workload has no samples of it.
    mutating func run(report: (Progress) -> Void) -> [WorkloadResult] {
        defer {
            remove(arenas, threads)
            source?.remove()
        }
        for failure in failures { report(.failed(failure)) }
        var results: [WorkloadResult] = []
        for workload in options.selection().runs where !isInterrupted.load(ordering: .relaxed) {
            report(.began(workload.name))
            let known = failures.count
            results += measure(workload)
            for failure in failures[known...] { report(.failed(failure)) }
        }
        return results
    }

    /// Measures one workload in every directory.
    /// - Returns: a result for each pinning; a directory that failed has no samples in any of them.
    mutating func measure(_ workload: Workload) -> [WorkloadResult] {
        broken = []
        for arena in arenas { attempt("set-up", workload, arena, workload.setUp) }
        var results = options.pinning.choices.map { isPinned in
            WorkloadResult(
                workload: workload, isPinned: isPinned, unitCount: workload.unitCount(options.scale),
                series: arenas.map { Series(directory: $0.label) })
        }
        for _ in 0..<options.roundCount(of: workload) {
            for index in results.indices { addRound(to: &results[index]) }
            if isInterrupted.load(ordering: .relaxed) { break }
        }
        for arena in arenas where isWhole(arena) { attempt("tear-down", workload, arena, workload.tearDown) }
        for index in results.indices { results[index].drop(broken) }
        return results
    }

    private func isWhole(_ arena: Arena) -> Bool { !broken.contains(arena.label) }

    /// One sample in each directory and one of the floor, in random order.
    private mutating func addRound(to result: inout WorkloadResult) {
        pin(result.isPinned)
        for thread in threads.values { try? thread.run { () throws(Errno) in pin(result.isPinned) } }
        // The place after the last directory is the floor's.
        for index in (0...arenas.count).shuffled(using: &generator) {
            // Rounds are paired from the first on, so that the last may be incomplete.
            if isInterrupted.load(ordering: .relaxed) { return }
            if index == arenas.count {
                addFloor(to: &result)
            } else if isWhole(arenas[index]) {
                addSample(of: arenas[index], to: &result.series[index], result.workload)
            }
        }
    }

    private func pin(_ isPinned: Bool) {
        // A CPU of the set that was read from this process is there to be pinned to.
        try? (isPinned ? Affinity.only(cpu: everywhere.firstCPU ?? 0) : everywhere).apply()
    }

    private mutating func addFloor(to result: inout WorkloadResult) {
        guard result.workload.measure == .microsecondsPerCall else { return }
        if let seconds = try? floor?.sampleSeconds() { result.floorSeconds.append(seconds) }
    }

    private mutating func addSample(of arena: Arena, to series: inout Series, _ workload: Workload) {
        attempt("preparation", workload, arena, workload.prepare)
        guard isWhole(arena) else { return }
        arena.syncToDisk()
        let clock = clocks[arena.label]
        let served = clock?.seconds
        var took = Duration.zero
        attempt("run", workload, arena) { (arena) throws(Errno) in
            let start = ContinuousClock.now
            try workload.run(arena)
            took = ContinuousClock.now - start
        }
        let servedAfter = clock?.seconds
        guard isWhole(arena) else { return }
        attempt("clean-up", workload, arena, workload.reset)
        series.samplesSeconds.append(took / .seconds(1))
        if let served, let servedAfter { series.serverSeconds.append(servedAfter - served) }
    }

    /// Does one step; where it fails, the directory takes no further part in the workload.
    private mutating func attempt(
        _ name: String, _ workload: Workload, _ arena: Arena, _ body: (Arena) throws(Errno) -> Void
    ) {
        do throws(Errno) {
            try acting(threads[arena.label]) { () throws(Errno) in try body(arena) }
        } catch {
            guard broken.insert(arena.label).inserted else { return }
            // A program names files by their whole paths, which say nothing to who reads the table.
            let what = arena.complaints.takeFirstLine()?.replacing("\(arena.path)/", with: "") ?? "\(error)"
            let message = "\(workload.name) in \(arena.label), \(name): \(what)"
            failures.append(Failure(directory: arena.directory, message: message))
            try? acting(threads[arena.label]) { () throws(Errno) in arena.clear() }
        }
    }
}

/// Runs `body` on a user's thread; nil: on this one.
private func acting<R>(_ thread: UserThread?, _ body: () throws(Errno) -> R) throws(Errno) -> R {
    guard let thread else { return try body() }
    return try thread.run(body)
}

private func remove(_ arenas: [Arena], _ threads: [String: UserThread]) {
    for arena in arenas { try? acting(threads[arena.label]) { () throws(Errno) in arena.remove() } }
}

private func userThreads(_ options: Options) throws(BenchmarkError) -> [String: UserThread] {
    var threads: [String: UserThread] = [:]
    for directory in options.directories {
        guard let userID = directory.userID else { continue }
        threads[directory.label] = try naming("cannot act as user \(userID)") { () throws(Errno) in
            try UserThread(userID: userID)
        }
    }
    return threads
}

/// Runs `body`, and says what it was about where it fails.
private func naming<R>(_ what: String, _ body: () throws(Errno) -> R) throws(BenchmarkError) -> R {
    do throws(Errno) { return try body() } catch { throw BenchmarkError(message: "\(what): \(error)") }
}

private func serverClocks(_ options: Options) throws(BenchmarkError) -> [String: ServerClock] {
    var clocks: [String: ServerClock] = [:]
    for directory in options.directories {
        guard let processID = directory.serverProcessID else { continue }
        clocks[directory.label] = try naming("process \(processID)") { () throws(Errno) in
            try ServerClock(processID: processID)
        }
    }
    return clocks
}

private func openFloor(_ directory: Options.Directory, scale: Scale) throws(BenchmarkError) -> Floor {
    do throws(Errno) { return try Floor(directory, scale: scale) } catch {
        let advice = "start it with: apphome-bench floor \(directory.path)"
        throw BenchmarkError(message: "no floor in \(directory.path): \(error); \(advice)")
    }
}

/// nil where no chosen workload needs one.
private func sourceTree(_ options: Options) throws(BenchmarkError) -> SourceTree? {
    guard options.selection().runs.contains(where: \.isOnTree) else { return nil }
    return try naming("cannot make the source tree in the folder for temporary files") { () throws(Errno) in
        // Always the same tree: runs are compared with each other.
        try SourceTree(fileCount: options.scale.treeFileCount, seed: 1)
    }
}

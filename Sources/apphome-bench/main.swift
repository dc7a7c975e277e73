import Glibc
import Synchronization

private func printError(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Prints `message` as every command of this package does, and ends.
private func fail(_ message: String, status: Int32) -> Never {
    printError("apphome-bench: error: \(message)")
    exit(status)
}

private func runBenchmark(_ options: Options) throws -> Int32 {
    for number in [SIGINT, SIGTERM] {
        signal(number) { _ in isInterrupted.store(true, ordering: .relaxed) }
    }
    // Whether the picture can be written is known before the run, not after an hour.
    let picture = try options.picturePath.map(PictureFile.init)
    var benchmark = try Benchmark(options)
    let showsProgress = isatty(STDERR_FILENO) == 1
    var hasFailed = false
    let results = benchmark.run { progress in
        switch progress {
        case .began(let name): if showsProgress { printError("\(name)…") }
        case .failed(let failure) where failure.directory.isPeer: printError("could not: \(failure.message)")
        case .failed(let failure):
            hasFailed = true
            printError("apphome-bench: error: \(failure.message)")
        }
    }
    let report = Report(options: options, results: results, failures: benchmark.failures)
    switch options.format {
    case .text: print(report.lines().joined(separator: "\n"))
    case .markdown: print(report.markdown().joined(separator: "\n"))
    case .json: print(try report.json())
    }
    try picture?.write(report)
    let excesses = report.excesses()
    for line in excesses { printError("above the limit: \(line)") }
    if isInterrupted.load(ordering: .relaxed) { return 130 }
    if hasFailed { return 1 }
    return excesses.isEmpty ? 0 : 3
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "floor" {
        let command = try FloorCommand(arguments: Array(arguments.dropFirst()))
        try FloorMount.serve(command) { printError("floor at \(command.path), transport \($0)") }
        exit(0)
    }
    if let load = try EventLoad(arguments: arguments) {
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in isInterrupted.store(true, ordering: .relaxed) }
        }
        print(try load.run())
        exit(0)
    }
    let options = try Options(arguments: arguments)
    if options.printsHelp {
        print(Options.usage)
    } else if options.listsWorkloads {
        print(Workload.all.map(\.name).joined(separator: "\n"))
    } else {
        exit(try runBenchmark(options))
    }
} catch let error as UsageError {
    fail(error.message, status: 64)
} catch let error as BenchmarkError {
    fail(error.message, status: 1)
} catch {
    fail("\(error)", status: 1)
}

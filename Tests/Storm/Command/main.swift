internal import Glibc

// Several devices that write at once on a real store; `mount-scripts/sync-storm` says how it is used.
do {
    var storm = Storm(try StormArguments.options(Array(CommandLine.arguments.dropFirst())))
    print("seed \(storm.options.seed)")
    let report = try storm.run()
    print(
        "\(report.acknowledged) writes acknowledged; \(report.documents) documents and \(report.versions)"
            + " conflict versions at the end, the same on \(storm.options.devices) devices")
    for finding in report.findings { print("FAILED \(finding)") }
    print(report.findings.isEmpty ? "nothing is lost" : "\(report.findings.count) findings")
    exit(report.findings.isEmpty ? 0 : 1)
} catch let wrong as StormArguments.Wrong {
    print(wrong.usage)
    exit(64)
} catch {
    print("FAILED \(error)")
    exit(1)
}

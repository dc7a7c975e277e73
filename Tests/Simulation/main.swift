internal import Glibc

// Simulates devices, their people and their store on one thread; `simulate` alone says how it is used.
guard getenv(Workers.orderVariable) != nil else { exit(Workers.runAgainInOrder()) }
do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    exit(Runner.run(options) ? 0 : 1)
} catch {
    print(Options.usage)
    exit(64)
}

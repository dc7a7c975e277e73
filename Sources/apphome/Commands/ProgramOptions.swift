internal import ArgumentParser
internal import SandboxRules

/// How a program runs as an app.
struct ProgramOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Where it starts: home, or a directory as it sees them.", valueName: "home|dir"))
    var cwd: String?
    @Option(
        help: ArgumentHelp(
            "Show it a folder of this system where that lies, read-only without :rw; may be repeated.",
            valueName: "dir[:rw]"))
    var bind: [BoundFolder] = []
    @Option(
        name: .customLong("for"),
        help: "What the program is made with: how it finds its directories. Mono and .NET are seen without.")
    var kind: AppEnvironment.Kind?
    @Option(
        help: ArgumentHelp(
            "Directory for the state of toolchains, instead of one in the device.", valueName: "dir"))
    var toolHome: String?
    @Option(
        name: .customLong("env"),
        help: ArgumentHelp(
            "Pass a variable, with your value or this one; may be repeated.", valueName: "name[=value]")
    )
    var added: [String] = []
    @Flag(help: "Let it reach the network, and what else listens on this machine.") var network = false
    @Option(
        help: ArgumentHelp("End it after so long: SIGTERM, and SIGKILL 5 s later.", valueName: "seconds"))
    var timeout: Double?

    func validate() throws {
        if let timeout, !(timeout > 0) { throw ValidationError("--timeout wants seconds, more than 0") }
        if let odd = added.first(where: { AddedVariable($0) == nil }) {
            throw ValidationError("--env \(odd): want NAME or NAME=VALUE")
        }
    }
}

extension BoundFolder: ExpressibleByArgument {
    static var defaultCompletionKind: CompletionKind { .directory }
}

internal import Glibc

/// Swift prints a backtrace when a program on a terminal crashes, and holds its mounts meanwhile; that is
/// read at the start, so this program starts again without.
func runWithoutBacktraces() {
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
    // Where it cannot start again, it goes on as it is.
    for argument in arguments { free(argument) }
}

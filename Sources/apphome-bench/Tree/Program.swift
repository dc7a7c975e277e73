import Glibc
import Posix
import SystemPackage

/// A program of the system that a workload runs, with the same environment on every machine.
struct Program: Sendable {
    private let path: String

    static let tar = Program("tar")
    static let grep = Program("grep")
    static let find = Program("find")
    static let remove = Program("rm")
    static let git = Program("git")

    private init(_ name: String) {
        let places = ["/usr/local/bin", "/usr/bin", "/bin"].map { "\($0)/\(name)" }
        // One that is nowhere fails when it is started, with ENOENT.
        path = places.first { access($0, X_OK) == 0 } ?? places[1]
    }

    /// Runs it to its end; what it prints is dropped.
    /// - Parameter complaints: the descriptor that it writes its errors to; nil: they are dropped too.
    /// - Throws: EIO where it ends otherwise than with `status`; what posix_spawn(3) answers.
    func run(
        _ arguments: [String], expecting status: Int32 = 0, complaints: Int32? = nil
    ) throws(Errno) {
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        let child = try Child(
            path, arguments: arguments, environment: Self.environment,
            descriptors: [null.raw, null.raw, complaints ?? null.raw])
        if try child.wait() != status { throw .ioError }
    }

    /// No settings of the person or of the system change what is measured.
    private static let environment = [
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent",
        "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0",
        "GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@localhost",
        "GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@localhost",
    ]
}

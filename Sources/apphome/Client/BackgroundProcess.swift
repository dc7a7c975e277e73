internal import CLinux
internal import Glibc
internal import Posix
internal import Wire

/// This program as a process of its own, which outlives the command that starts it: what the two tell each
/// other meanwhile.
enum BackgroundProcess {
    /// The descriptors that it is started with, after standard input, output and error.
    static let folderNumber: Int32 = 3
    static let wordNumber: Int32 = 4
    static let inputNumber: Int32 = 5

    private static let hasSpoken = Lock(false)
    private static let mark = "APPHOME_STARTED_BY_COMMAND"

    /// In the new process: whether a command started it, and handed those descriptors over. A descriptor that
    /// happens to be open would say nothing of that.
    static var isStartedByCommand: Bool { environment(mark) != nil }

    /// Starts it and waits for its word.
    /// - Parameters:
    ///   - folder: what it gets as `folderNumber`.
    ///   - log: its standard output and error; nil: nowhere.
    ///   - input: what it gets as `inputNumber`; nil: nothing.
    /// - Returns: what it said; "" where it ended without a word. Nil after the deadline.
    static func start(
        _ arguments: [String], folder: Int32, log: Int32? = nil, input: Int32? = nil,
        within deadline: Deadline?
    ) throws -> String? {
        var pipe: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&pipe))
        let reader = Descriptor(owning: pipe[0])
        try spawn(arguments, folder, log, input, word: Descriptor(owning: pipe[1]))
        var said: [UInt8] = []
        while true {
            guard try Waiting.wait(for: [reader.raw], until: deadline)[0] else { return nil }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = try retrying { lx_read(reader.raw, &chunk, 4096) }
            if count == 0 { return String(decoding: said, as: UTF8.self) }
            said += chunk[..<Int(count)]
        }
    }

    private static func spawn(
        _ arguments: [String], _ folder: Int32, _ log: Int32?, _ input: Int32?, word: consuming Descriptor
    ) throws {
        let null = try Descriptor("/dev/null", flags: O_RDWR)
        _ = try Child(
            "/proc/self/exe", arguments: arguments,
            environment: [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                // A crash would otherwise stop to print a backtrace, with the mounts hanging meanwhile.
                "SWIFT_BACKTRACE=enable=no",
                "\(mark)=yes",
            ],
            descriptors: [null.raw, log ?? null.raw, log ?? null.raw, folder, word.raw]
                + (input.map { [$0] } ?? []),
            name: "apphome", ownSession: true)
    }

    /// In the new process: says its word and closes the pipe. What comes later is for the log alone: the
    /// number is another file's by then.
    static func say(_ word: String) {
        guard
            hasSpoken.withLock({ hasSpoken in
                defer { hasSpoken = true }
                return !hasSpoken
            })
        else { return }
        let pipe = Descriptor(owning: wordNumber)
        try? pipe.writeAll(Array(word.utf8))
    }
}

internal import CLinux
internal import CSuite
internal import Glibc

/// Runs cases, each in a fresh directory and on a thread of its own, under a deadline.
struct Runner: ~Copyable {
    enum Outcome: Equatable {
        case text(String)
        /// Not done by the deadline: its thread still runs, so nothing more can be asked of this process.
        case hung
    }

    private let parent: Int32
    /// Where each case has its directory; `parent` itself where that is every case's own.
    private let scratch: Int32
    private let scratchName: [UInt8]
    private let isWhole: Bool
    private let deadlineSeconds: Int32

    /// Makes a scratch directory in `directory`.
    /// - Parameter isWhole: each case runs in `directory` itself, which must be empty.
    /// - Returns: nil with `errno` where it cannot be made, or is not empty.
    init?(directory: String, isWhole: Bool = false, deadlineSeconds: Int32) {
        let name = isWhole ? "." : "posix-suite-\(getpid())"
        let parent = open(directory, O_RDONLY | lx_o_directory | lx_o_cloexec)
        guard parent >= 0 else { return nil }
        guard let scratch = isWhole ? Self.openEmpty(parent) : Self.make(name, in: parent) else {
            close(parent)
            return nil
        }
        self.parent = parent
        self.scratch = scratch
        self.scratchName = Array(name.utf8)
        self.isWhole = isWhole
        self.deadlineSeconds = deadlineSeconds
    }

    deinit {
        close(scratch)
        if !isWhole { Tree.remove(scratchName, in: parent) }
        close(parent)
    }

    /// - Returns: nil with `errno` ENOTEMPTY where it holds something.
    private static func openEmpty(_ directory: Int32) -> Int32? {
        guard Tree.isEmpty(directory) else {
            errno = ENOTEMPTY
            return nil
        }
        return openat(directory, ".", O_RDONLY | lx_o_directory | lx_o_cloexec)
    }

    private static func make(_ name: String, in directory: Int32) -> Int32? {
        guard mkdirat(directory, name, 0o755) == 0 else { return nil }
        let made = openat(directory, name, O_RDONLY | lx_o_directory | lx_o_cloexec)
        return made < 0 ? nil : made
    }

    /// Runs one case and removes what it left.
    func outcome(of testCase: Case) -> Outcome {
        if isWhole { return wholeOutcome(of: testCase) }
        guard let directory = Self.make("case", in: scratch) else {
            return .text("no directory for the case: \(Answer.name(errno))")
        }
        defer {
            close(directory)
            Tree.remove(Array("case".utf8), in: scratch)
        }
        return Job.run(testCase, in: directory, deadlineSeconds: deadlineSeconds)
    }

    private func wholeOutcome(of testCase: Case) -> Outcome {
        guard fchmod(scratch, 0o755) == 0, fchown(scratch, geteuid(), getegid()) == 0 else {
            return .text("the directory is not the case's own: \(Answer.name(errno))")
        }
        defer { Tree.empty(".", in: scratch) }
        return Job.run(testCase, in: scratch, deadlineSeconds: deadlineSeconds)
    }
}

/// One case on its thread.
///
/// Unchecked: `text` is written by the thread before it writes to `done`, and read after that has been read.
private final class Job: @unchecked Sendable {
    private let testCase: Case
    private let directory: Int32
    private let done: Int32
    private var text = ""

    private init(_ testCase: Case, _ directory: Int32, done: Int32) {
        (self.testCase, self.directory, self.done) = (testCase, directory, done)
    }

    static func run(_ testCase: Case, in directory: Int32, deadlineSeconds: Int32) -> Runner.Outcome {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return .text("no pipe: \(Answer.name(errno))") }
        defer { for end in ends { close(end) } }
        let job = Job(testCase, directory, done: ends[1])
        var thread = pthread_t()
        let context = Unmanaged.passRetained(job).toOpaque()
        guard pthread_create(&thread, nil, caseThread, context) == 0 else {
            Unmanaged<Job>.fromOpaque(context).release()
            return .text("no thread")
        }
        var wait = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, deadlineSeconds * 1000) == 1 else { return .hung }
        pthread_join(thread, nil)
        return .text(job.text)
    }

    /// The thread's whole life: a working directory and a umask of its own, then the steps.
    fileprivate func live() {
        let alone = lx_unshare_fs()
        umask(0o022)
        if alone < 0 || fchdir(directory) < 0 {
            text = "no working directory of its own"
        } else {
            text = testCase.steps.run(in: World())
        }
        var byte: UInt8 = 1
        write(done, &byte, 1)
    }
}

private func caseThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Job>.fromOpaque(context).takeRetainedValue().live()
    return nil
}

internal import CLinux
internal import Glibc
public import SystemPackage

/// A thread of the operating system, outside Swift's concurrency runtime.
public struct NativeThread: ~Copyable, Sendable {
    private let thread: pthread_t

    /// Starts `body` on a thread of its own, with all signals blocked: signals are handled in one place.
    /// - Parameter name: at most 15 bytes are shown by ps and top.
    /// - Throws: EAGAIN where no more threads may be made.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) {
        let box = Unmanaged.passRetained(
            ThreadBody {
                // Its maker may just act with other rights than the process has.
                lx_take_process_rights()
                lx_name_thread(name)
                body()
            })
        var thread = pthread_t()
        var blocked = sigset_t()
        var previous = sigset_t()
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &previous)
        let failure = pthread_create(&thread, nil, runThread, box.toOpaque())
        pthread_sigmask(SIG_SETMASK, &previous, nil)
        if failure != 0 {
            box.release()
            throw Errno(rawValue: failure)
        }
        self.thread = thread
    }

    /// Lets everybody else go first from here on: the calling thread alone, as Linux has it.
    public static func yieldToOthers() {
        // Who = 0 is the caller.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
    }

    /// Waits for the thread's end.
    public consuming func join() { pthread_join(thread, nil) }

    /// Lets the thread end on its own.
    public consuming func detach() { pthread_detach(thread) }
}

private final class ThreadBody {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runThread(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // `raw` is the body that NativeThread.init retained, once.
    if let raw { Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().run() }
    return nil
}

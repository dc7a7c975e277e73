internal import Posix

/// A thread that its maker waits for, once.
// Unchecked: `thread` is touched only by `join`, which one owner calls.
final class JoinableThread: @unchecked Sendable {
    private var thread: NativeThread?

    init(_ thread: consuming NativeThread) { self.thread = consume thread }

    func join() { if let thread = thread.take() { thread.join() } }
}

import Posix

/// A thread that a test waits for.
public final class Joined {
    private var thread: NativeThread?
    public init(_ thread: consuming NativeThread) { self.thread = consume thread }
    public func join() { if let thread = thread.take() { thread.join() } }
}

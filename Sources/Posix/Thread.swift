internal import CLinux
public import SystemPackage

/// A thread of its own for work that blocks.
public enum Thread {
    /// Runs `body` on a new thread that nobody joins.
    /// - Throws: `resourceTemporarilyUnavailable` where the system has no more threads; `body` is dropped then.
    public static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
        let context = Unmanaged.passRetained(Work(body))
        let result = lx_start_thread(
            0,
            { context in
                guard let context else { return }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
            }, context.toOpaque())
        if result < 0 { context.release() }
        try valueOrErrno(result)
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

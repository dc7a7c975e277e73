internal import CLinux

/// What a thread that serves requests has at hand: the request that it is serving, and room for the answer.
///
/// Found through the thread, so that a callback needs no look-up: libfuse hands its own types through.
// Unchecked: made by one thread, then used by one other.
final class Worker: @unchecked Sendable {
    /// The largest argument or answer: FUSE's own limit of 256 pages.
    static let payloadBytes = 1 << 20

    /// The request being served, as the kernel wrote it.
    var request: UnsafeRawPointer?
    /// The ring's entry that holds the request; nil where it was read from `/dev/fuse`.
    // Unsafe: the ring keeps its slots until its threads have ended; a count per request would buy nothing.
    unowned(unsafe) var slot: RingSlot?
    /// The ring's queue that this thread serves; nil for all other threads. While it waits, so does every
    /// caller of its CPU.
    // Unsafe: the queue waits for its thread.
    unowned(unsafe) let queue: RingQueue?
    private let room: MappedBuffer

    /// nil where there is no address space left.
    init?(of queue: RingQueue? = nil) {
        guard let room = MappedBuffer(count: Worker.payloadBytes) else { return nil }
        self.room = room
        self.queue = queue
    }

    /// Room for an answer, until the next request.
    var scratch: UnsafeMutableRawBufferPointer { room.bytes }

    /// The worker of this thread; nil on a thread that serves no requests.
    static var current: Worker? {
        guard let raw = lx_thread_value() else { return nil }
        // `run` keeps the worker alive while the thread's value is set.
        return Unmanaged<Worker>.fromOpaque(raw).takeUnretainedValue()
    }

    /// Makes this the thread's worker while `body` runs.
    func run(_ body: (Worker) -> Void) {
        lx_set_thread_value(Unmanaged.passUnretained(self).toOpaque())
        withExtendedLifetime(self) { body(self) }
        lx_set_thread_value(nil)
    }
}

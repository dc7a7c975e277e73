internal import CLinux

/// What a thread that serves requests owns: the buffer that requests are read into, and room for answers.
///
/// Found through the thread, so that a callback needs no look-up: libfuse hands its own types through.
final class Worker {
    /// libfuse wants at least this much beside the largest write.
    static let headerBytes = 4096
    static let payloadBytes = 1 << 20

    let request: UnsafeMutableRawBufferPointer
    let scratch: UnsafeMutableRawBufferPointer

    /// nil where there is no address space left.
    init?() {
        let size = Worker.headerBytes + Worker.payloadBytes
        guard let request = lx_map_reserved(UInt64(size)) else { return nil }
        guard let scratch = lx_map_reserved(UInt64(Worker.payloadBytes)) else {
            lx_unmap(request, UInt64(size))
            return nil
        }
        self.request = .init(start: request, count: size)
        self.scratch = .init(start: scratch, count: Worker.payloadBytes)
    }

    deinit {
        lx_unmap(request.baseAddress, UInt64(request.count))
        lx_unmap(scratch.baseAddress, UInt64(scratch.count))
    }

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

internal import CLinux
internal import SystemPackage

/// A program that asked for something, as it was at that moment.
public struct Program: Sendable, Equatable {
    /// Its process's number, as this process sees it.
    public let processID: Int32
    /// What it is called, at most 15 bytes, which it may have chosen itself; nil where that cannot be read.
    public let name: String?

    public init(processID: Int32, name: String?) {
        self.processID = processID
        self.name = name
    }

    /// The program that a thread belongs to: the thread's own name is often another.
    /// - Parameter thread: its number; nobody's where it is not positive.
    public init?(ofThread thread: Int32) {
        if thread <= 0 { return nil }
        processID = lx_is_process(thread) != 0 ? thread : Self.process(ofThread: thread) ?? thread
        name = Self.withText(of: "/proc/\(processID)/comm") { text in
            // A newline ends it.
            String(decoding: text.dropLast(), as: UTF8.self)
        }
    }

    private static func process(ofThread thread: Int32) -> Int32? {
        withText(of: "/proc/\(thread)/status") { text in
            let lines = text.split(separator: UInt8(ascii: "\n"))
            let line = lines.first { $0.starts(with: "Tgid:\t".utf8) }
            return line.flatMap { Int32(String(decoding: $0.dropFirst(6), as: UTF8.self)) }
        } ?? nil
    }

    /// Gives the beginning of one of the kernel's files to `body`; nil where it cannot be read.
    private static func withText<R>(
        of path: String, _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R? {
        let file = lx_openat(lx_at_fdcwd, path, 0, 0)
        if file < 0 { return nil }
        defer { _ = lx_close(file) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 512) { buffer in
            let count = lx_read(file, buffer.baseAddress, UInt64(buffer.count))
            return count > 0 ? body(UnsafeBufferPointer(rebasing: buffer[..<Int(count)])) : nil
        }
    }
}

internal import CLinux
public import SystemPackage

/// Waits for any number of descriptors, at no cost for those where nothing happens: epoll(7).
public final class Poller: Sendable {
    /// A descriptor where something has happened.
    public struct Ready: Equatable, Sendable {
        /// As it was added.
        public let token: UInt64
        /// There is something to read, or the other side is gone; else it is writable.
        public let isReadable: Bool
    }

    private let descriptor: Descriptor
    private static let mostAtOnce = 64

    public init() throws(Errno) { descriptor = Descriptor(owning: try valueOrErrno(lx_epoll())) }

    /// From here on `wait` tells when there is something to read, and when the other side goes.
    public func add(_ raw: Int32, token: UInt64) throws(Errno) {
        try valueOrErrno(lx_epoll_set(descriptor.raw, raw, token, 0, 1))
    }

    /// Whether `wait` also tells that a descriptor is writable.
    public func set(_ raw: Int32, token: UInt64, waitsForWriting: Bool) throws(Errno) {
        try valueOrErrno(lx_epoll_set(descriptor.raw, raw, token, waitsForWriting ? 1 : 0, 0))
    }

    public func remove(_ raw: Int32) { _ = lx_epoll_remove(descriptor.raw, raw) }

    /// Waits until something happens, or the deadline passes.
    /// - Parameter deadline: nil waits without end.
    /// - Returns: some of those where something has happened; none after the deadline.
    public func wait(until deadline: Deadline?) throws(Errno) -> [Ready] {
        var tokens = [UInt64](repeating: 0, count: Self.mostAtOnce)
        var readable = [Int32](repeating: 0, count: Self.mostAtOnce)
        let count = try retrying {
            lx_epoll_wait(
                descriptor.raw, &tokens, &readable, UInt32(Self.mostAtOnce), deadline?.millisecondsLeft ?? -1)
        }
        return (0..<Int(count)).map { Ready(token: tokens[$0], isReadable: readable[$0] != 0) }
    }
}

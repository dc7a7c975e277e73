internal import CLinux
public import SystemPackage

/// A point in time by the clock that no one sets, for waits that must end.
public struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    /// - Parameter seconds: whatever a client says; at most 30 years, and at least none.
    public init(seconds: Double) {
        end = .now + .seconds(seconds.isNaN ? 0 : min(max(seconds, 0), Self.mostSeconds))
    }

    private static let mostSeconds = 1e9

    public var hasPassed: Bool { ContinuousClock.now >= end }

    /// Milliseconds that are left, rounded up; 0 once it has passed.
    public var millisecondsLeft: Int32 {
        let left = ContinuousClock.now.duration(to: end)
        if left <= .zero { return 0 }
        let parts = left.components
        return Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000 + 1)
    }
}

/// Waits for descriptors.
public enum Waiting {
    /// Waits until one of `descriptors` is readable (or writable) or hung up, or the deadline passes.
    /// - Returns: for each one whether it is; all false after the deadline. nil waits without end.
    /// - Throws: what poll(2) answers, never `interrupted`.
    public static func wait(
        for descriptors: [Int32], writable: Bool = false, until deadline: Deadline? = nil
    ) throws(Errno) -> [Bool] {
        let mask = try retrying {
            lx_wait(
                descriptors, UInt32(descriptors.count), writable ? 1 : 0, deadline?.millisecondsLeft ?? -1)
        }
        return descriptors.indices.map { mask & (1 << Int32($0)) != 0 }
    }
}

/// Wakes a thread that waits with `Waiting`: an eventfd(2).
public final class WakeUp: Sendable {
    private let descriptor: Descriptor

    public init() throws(Errno) { descriptor = Descriptor(owning: try valueOrErrno(lx_eventfd())) }

    /// What to wait for.
    public var raw: Int32 { descriptor.raw }

    /// Makes `raw` readable, until `clear`.
    public func signal() {
        var one: UInt64 = 1
        _ = lx_write(raw, &one, 8)
    }

    /// Forgets all signals so far.
    public func clear() {
        var count: UInt64 = 0
        _ = lx_read(raw, &count, 8)
    }
}

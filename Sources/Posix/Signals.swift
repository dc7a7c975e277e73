internal import CLinux
public import SystemPackage

/// Signals as readable events instead of handlers, which may do next to nothing.
public struct Signals: ~Copyable {
    private let descriptor: Descriptor

    /// Blocks `numbers` in this thread, and in all that it starts, and reports them here.
    public init(_ numbers: [Int32]) throws(Errno) {
        descriptor = Descriptor(owning: try valueOrErrno(lx_signals(numbers, UInt32(numbers.count))))
    }

    /// What to wait for.
    public var raw: Int32 { descriptor.raw }

    /// The next signal that came; nil where there is none.
    public func next() -> Int32? { nextWithOrigin()?.number }

    /// As `next`; `isFromTerminal`: it went to all processes in the terminal's foreground, not to this one
    /// alone.
    public func nextWithOrigin() -> (number: Int32, isFromTerminal: Bool)? {
        var isFromKernel: Int32 = 0
        let number = lx_next_signal(raw, &isFromKernel)
        return number == 0 ? nil : (number, isFromKernel != 0)
    }

    /// Lets signals come to this thread again as they would without this.
    public static func unblock(_ numbers: [Int32]) { lx_unblock_signals(numbers, UInt32(numbers.count)) }

    /// Ignores a signal in the whole process.
    public static func ignore(_ number: Int32) { lx_ignore_signal(number) }
}

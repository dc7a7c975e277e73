public import SystemPackage

/// The one funnel from a system call's result to a typed error.
///
/// - Parameter result: what an `lx_` function returned: a value of at least 0, or -errno.
/// - Returns: the value.
/// - Throws: the call's `Errno`.
@inlinable @discardableResult
public func valueOrErrno<I: FixedWidthInteger & SignedInteger>(_ result: I) throws(Errno) -> I {
    if result < 0 { throw Errno(rawValue: CInt(truncatingIfNeeded: -result)) }
    return result
}

/// As `valueOrErrno`, calling again for as long as a signal interrupts the call (EINTR).
@inlinable @discardableResult
public func retrying<I: FixedWidthInteger & SignedInteger>(_ call: () -> I) throws(Errno) -> I {
    while true {
        let result = call()
        if result == -4 { continue }
        return try valueOrErrno(result)
    }
}

/// Names of extended attributes: Apple's on the mount, Linux's in the backing file system.
///
/// Apple's names have no namespace; Linux stores only names that have one. So `com.apple.X` is kept as
/// `user.com.apple.X`, which a caller may say as well. All other names pass through as they are.
public enum AttributeName {
    /// Which kind of attribute a name means.
    public enum Standing: UInt8, Sendable {
        /// Passed through untouched (`user.x`, `security.capability`, …).
        case ordinary
        /// `com.apple.…`, with or without `user.`: kept under its backing name.
        case apple
        /// The sync state: computed, answered, never listed; to set or remove it is EPERM.
        case status
        /// The mount's own marks in the backing store: to the app they do not exist, and cannot be set.
        case own
    }

    /// The sync state of an item.
    public static let status: StaticString = "com.apple.ubiquity.status"
    /// Begins every attribute that the mount itself keeps with a backing file.
    public static let ownPrefix: StaticString = "user.apphome."

    /// What a name from a caller or from the backing store means. Never allocates.
    public static func standing(of name: UnsafeRawBufferPointer) -> Standing {
        let bare = unprefixed(name)
        if bare.hasPrefix("com.apple.") { return bare.isEqual(to: status) ? .status : .apple }
        return name.hasPrefix(ownPrefix) ? .own : .ordinary
    }

    /// Runs `body` with the name under which the backing file system keeps the attribute, NUL-terminated
    /// and valid for the call. It lies on the stack.
    public static func withBackingName<R, E: Error>(
        of name: UnsafeRawBufferPointer, _ body: (UnsafePointer<CChar>) throws(E) -> R
    ) throws(E) -> R {
        let prefix = UnsafeRawBufferPointer(name.hasPrefix("com.apple.") ? userPrefix : "")
        let count = prefix.count + name.count
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) {
            buffer throws(E) -> R in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes.copyMemory(from: prefix)
            UnsafeMutableRawBufferPointer(rebasing: bytes[prefix.count...]).copyMemory(from: name)
            bytes[count] = 0
            // A buffer of at least one element has a base address.
            return try body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
        }
    }

    /// The name under which the mount lists an attribute of the backing store.
    ///
    /// - Parameter prefixed: keep `user.` before Apple's names, for tools that copy only `user.*`.
    /// - Returns: a part of `name`; nil for what is not listed.
    public static func listedName(
        forBacking name: UnsafeRawBufferPointer, prefixed: Bool
    ) -> UnsafeRawBufferPointer? {
        switch standing(of: name) {
        case .status, .own: nil
        case .ordinary: name
        case .apple: prefixed ? name : unprefixed(name)
        }
    }

    private static let userPrefix: StaticString = "user."

    private static func unprefixed(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard name.hasPrefix("user.com.apple.") else { return name }
        return UnsafeRawBufferPointer(rebasing: name[userPrefix.utf8CodeUnitCount...])
    }
}

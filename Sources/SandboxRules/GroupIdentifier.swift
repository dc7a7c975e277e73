/// The name of a group container, as `com.apple.security.application-groups` lists it.
public struct GroupIdentifier: Hashable, Sendable, CustomStringConvertible {
    public let value: String

    /// - Returns: nil where `value` is not letters, digits, `.`, `-` and `_` (a group's name becomes a file
    ///   name), begins with `.` or `-`, or has more than 200 bytes.
    public init?(_ value: String) {
        guard let first = value.utf8.first, value.utf8.count <= 200 else { return nil }
        guard first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return nil }
        guard value.utf8.allSatisfy({ BundleIdentifier.isAllowed($0) || $0 == UInt8(ascii: "_") }) else {
            return nil
        }
        self.value = value
    }

    public var description: String { value }
}

/// Where an app's entitlements came from; `info` says which.
public enum EntitlementsSource: String, Sendable, CaseIterable {
    case option
    case codeSignature = "code signature"
    case profile = "embedded.mobileprovision"
    case none
}

/// A value that has a secret in it. Its text and its reflection show nothing of it, so that no log, error or
/// failed test can.
public protocol Confidential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Confidential {
    public var description: String { "\(Self.self)(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

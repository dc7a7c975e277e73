internal import Posix

/// What the mount table shows as the source of a mount of AppHome: `apphome:<device id>:<kind>:<app>`.
public struct MountSource: Equatable, Sendable, CustomStringConvertible {
    public let deviceID: String
    public let kind: MountKind
    /// The app's, or where a group is shown the group's name.
    public let bundleID: String

    public init(deviceID: String, kind: MountKind, bundleID: String) {
        self.deviceID = deviceID
        self.kind = kind
        self.bundleID = bundleID
    }

    /// Nil where the text is not such a source.
    public init?(_ text: String) {
        let parts = text.parts(between: ":", keepingEmpty: true)
        guard parts.count == 4, parts[0] == "apphome", let kind = MountKind(rawValue: parts[2]) else {
            return nil
        }
        self.init(deviceID: parts[1], kind: kind, bundleID: parts[3])
    }

    public var description: String { "apphome:\(deviceID):\(kind.rawValue):\(bundleID)" }
}

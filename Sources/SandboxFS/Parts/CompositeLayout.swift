public import CLinux
public import SandboxRules
public import SystemPackage

/// What a composite view shows: directories and links of its own, and at some names whole file systems.
///
/// Its revision is asked at each look, so that what is installed or removed comes and goes under the open
/// mount.
public protocol CompositeLayout: Sendable {
    /// Another number whenever `entries` or `names` may answer otherwise than before.
    var revision: UInt64 { get }

    /// How names in the view's own directories are compared.
    var names: NamePolicy { get throws(Errno) }

    /// What one of the view's own directories holds.
    /// - Parameter path: from the view's root, whose own path is "".
    /// - Throws: ENOENT where there is no such directory any more.
    func entries(of path: String) throws(Errno) -> [CompositeEntry]

    /// Opens a part.
    /// - Parameter part: as `entries` named it.
    /// - Throws: ENOENT where it is not there any more; what opening it answers.
    func open(_ part: String) throws(Errno) -> CompositePart

    /// What `df` says of the view's own directories.
    func statistics() throws(Errno) -> statvfs

    /// What every change of the view's own items is refused with.
    var refusal: Errno { get }

    /// Whether asking it, or a part of the view, may wait for a network.
    var isSlow: Bool { get }
}

extension CompositeLayout {
    /// They stay as they are, where other items can be changed.
    public var refusal: Errno { .notPermitted }
    public var isSlow: Bool { false }
}

/// An item of one of the view's own directories.
public struct CompositeEntry: Equatable, Sendable {
    public enum Kind: Hashable, Sendable {
        case directory
        case link(to: String)
        /// The root of a part. The same name of a part is the same file system for as long as the view shows
        /// anything of it.
        case part(String)
        /// A directory that may be seen and not entered: EPERM.
        case closed
    }

    public let name: String
    public let kind: Kind

    public init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}

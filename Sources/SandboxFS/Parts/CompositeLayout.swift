public import CLinux
public import FuseKit
internal import HomeTree
internal import Posix
public import SandboxRules
public import SystemPackage

/// What a composite view shows: directories and links of its own, and at some names whole file systems.
///
/// Asked anew at each look, so that what is installed or removed comes and goes under the open mount.
public protocol CompositeLayout: Sendable {
    /// What one of the view's own directories holds.
    /// - Parameter path: from the view's root, whose own path is "".
    /// - Throws: ENOENT where there is no such directory any more.
    func entries(of path: String) throws(Errno) -> [CompositeEntry]

    /// How names are compared in the view's own directories.
    var names: NamePolicy { get throws(Errno) }

    /// Opens a part.
    /// - Parameter part: as `entries` named it.
    /// - Throws: ENOENT where it is not there any more; what opening it answers.
    func open(_ part: String) throws(Errno) -> CompositePart

    /// What `df` says of the view's own directories.
    func statistics() throws(Errno) -> statvfs
}

extension CompositeLayout {
    /// The entry that a name means in one of the view's own directories: the one of that name, else the first
    /// of which it is another spelling.
    /// - Throws: ENOENT; EILSEQ and ENAMETOOLONG as in a home.
    func entry(_ name: FileName, in path: String) throws(Errno) -> CompositeEntry {
        let entries = try entries(of: path)
        if let entry = entries.first(where: { name.bytes.elementsEqual($0.name.utf8) }) { return entry }
        let policy = try names
        try policy.check(name)
        let key = policy.key(name.bytes)
        guard let entry = entries.first(where: { policy.key($0.name) == key }) else {
            throw .noSuchFileOrDirectory
        }
        return entry
    }
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

/// A file system that stands somewhere in a composite view.
public final class CompositePart: Sendable {
    let fileSystem: any FileSystem
    private let whenUnused: @Sendable () -> Void

    /// - Parameter whenUnused: called once, when the kernel has forgotten all of it.
    public init(_ fileSystem: any FileSystem, whenUnused: @escaping @Sendable () -> Void) {
        self.fileSystem = fileSystem
        self.whenUnused = whenUnused
    }

    deinit { whenUnused() }
}

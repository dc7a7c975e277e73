public import Posix
internal import SandboxRules
public import SystemPackage

/// The bundle of a home: read-only by the rules.
public struct BundleRoot: Sendable {
    /// Its directory.
    public let inode: InodeNumber
    /// `Name.app`, under which it stands in the home.
    public let name: String
}

extension HomeTree {
    /// Puts another bundle in the place of the one that the home shows, and returns when every mount shows
    /// it.
    ///
    /// The directory of the old one has to stay for as long as this tree: who is in it goes on there, and
    /// numbers of its inodes must not be given to others.
    /// - Parameter name: `Name.app`.
    /// - Throws: what fstat(2) answers.
    public func replaceBundle(_ directory: consuming Descriptor, name: String) throws(Errno) {
        let status = try Self.status(of: directory.raw)
        let descriptor = directory.release()
        let old = tables.withLock { $0.addBundle(status, descriptor, name: name).old }
        for name in Set([old?.name, name].compactMap { $0 }) {
            name.withFileName { announce($0, in: home) }
        }
    }
}

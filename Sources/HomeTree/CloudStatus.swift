internal import Posix

/// Knows how an item stands with the cloud (SPEC 7). Sync is one; the daemon wires it.
public protocol CloudStatusSource: AnyObject, Sendable {
    /// The state's name; nil for an item of which nothing is known.
    /// - Parameter path: below Documents, by the bytes of its names. Called where no other request waits
    ///   behind it: it may look at the disk, and waits neither for the network nor for sync's work.
    func cloudStatus(of path: [[UInt8]]) -> String?
}

extension HomeTree {
    /// Who answers `com.apple.ubiquity.status` from now on; nil: nobody.
    public func setCloudStatusSource(_ source: (any CloudStatusSource)?) {
        // The one before may end with it, which takes other locks: after this one.
        var other = source
        statusSource.withLock { swap(&$0, &other) }
    }

    /// How an item stands with the cloud; nil outside Documents, and where nobody knows.
    public func cloudStatus(of number: InodeNumber) -> String? {
        guard let source = statusSource.withLock({ $0 }) else { return nil }
        guard let path = pathInDocuments(of: number), !path.isEmpty else { return nil }
        return source.cloudStatus(of: path)
    }

    /// The names that lead to an inode from Documents; nil for what does not lie there.
    public func pathInDocuments(of number: InodeNumber) -> [[UInt8]]? {
        let path = tables.withLock { $0.path(of: number, from: home) }
        guard let path, let top = path.first, top.elementsEqual("Documents".utf8) else { return nil }
        return Array(path.dropFirst())
    }
}

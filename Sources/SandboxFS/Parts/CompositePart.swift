public import FuseKit
internal import HomeTree
internal import Posix

/// A file system that stands somewhere in a composite view.
public final class CompositePart: Sendable {
    let fileSystem: any FileSystem
    private let whenUnused: @Sendable () -> Void
    /// Whose items it shows; nil for what no tree holds.
    private let tree: HomeTree?
    /// Where the view's kernel hears of the tree's changes.
    private let cache = Lock<PartCache?>(nil, rank: .leaf)

    /// - Parameter whenUnused: called once, when the kernel has forgotten all of it.
    public init(_ fileSystem: any FileSystem, whenUnused: @escaping @Sendable () -> Void) {
        self.fileSystem = fileSystem
        tree = (fileSystem as? HomeFileSystem)?.tree
        self.whenUnused = whenUnused
    }

    deinit {
        if let cache = cache.withLock({ $0 }) { tree?.caches.guests.remove(cache) }
        whenUnused()
    }

    /// Has the view's kernel hear of changes in the part, once, so that it may believe attributes.
    func listen(_ nodes: CompositeNodes, _ notices: AttributeNotices) {
        guard let tree else { return }
        let new = cache.withLock { cache -> PartCache? in
            guard cache == nil else { return nil }
            let new = PartCache(part: ObjectIdentifier(self), nodes, notices)
            cache = new
            return new
        }
        if let new { tree.caches.guests.add(new) }
    }

    /// To be asked before attributes are read; nil where the view's kernel believes none.
    var toldCount: UInt64? {
        cache.withLock { $0 } == nil ? nil : tree?.caches.guests.toldCount
    }

    /// How long the view's kernel may believe attributes of an item that has its node in the view.
    /// - Parameter count: what `toldCount` was before they were read.
    func believedSeconds(_ item: NodeKey, since count: UInt64?) -> Double {
        guard let tree, let count, tree.mayBelieveForAMoment(InodeNumber(item), since: count)
        else { return 0 }
        return GuestCaches.momentSeconds
    }
}

/// A part as its tree sees it: the view's kernel knows its items by the view's own numbers.
private final class PartCache: GuestCache {
    private let part: ObjectIdentifier
    private let nodes: CompositeNodes
    private let notices: AttributeNotices
    private static let longestSeconds = 2.0

    init(part: ObjectIdentifier, _ nodes: CompositeNodes, _ notices: AttributeNotices) {
        self.part = part
        self.nodes = nodes
        self.notices = notices
    }

    func forgetAttributes(of inode: InodeNumber) {
        let item = NodeKey(inode)
        var deadline: Deadline?
        while let node = nodes.node(of: item, in: part), !notices.forgetAttributes(of: node) {
            // An answer that tells the kernel of the node is on its way, or the kernel has just forgotten it.
            if deadline?.hasPassed == true { return }
            deadline = deadline ?? Deadline(seconds: Self.longestSeconds)
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: 0.001))
        }
    }
}

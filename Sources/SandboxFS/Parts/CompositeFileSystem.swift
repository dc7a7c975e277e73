internal import CLinux
public import FuseKit
internal import HomeTree
public import Posix
public import SystemPackage

/// One mount that is made of several trees: directories of its own, and below them whole file systems.
///
/// A part is opened at the first look at it and ended when the kernel has forgotten the last of it. Each
/// answers for its own nodes; between two parts nothing is renamed or linked (EXDEV). Nothing of the view's
/// own can be changed by a request.
public final class CompositeFileSystem: FileSystem {
    public let root = CompositeNodes.root
    let nodes = CompositeNodes()
    private let parts = CompositeParts()
    let layout: any CompositeLayout
    let names: CompositeNames
    /// Whom the view's own directories belong to.
    private let owner: Owner
    /// Nanoseconds since 1970.
    private let began = lx_realtime_nanoseconds()
    /// Listings of the view's own directories.
    let listings = OpenNumbers<[CompositeEntry]>()

    private let notices = Lock<AttributeNotices?>(nil, rank: .leaf)

    public func isSlow(at node: NodeKey) -> Bool { layout.isSlow }

    public init(_ layout: any CompositeLayout, owner: Owner) {
        self.layout = layout
        names = CompositeNames(layout)
        self.owner = owner
    }

    /// From now on its kernel, which `notices` reaches, believes for a moment what is said of items in the
    /// parts that are opened. To be called before the first request.
    public func tell(_ notices: AttributeNotices) { self.notices.withLock { $0 = notices } }

    public func lookup(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) -> Entry {
        switch try nodes.content(of: directory) {
        case .item(let part, let node):
            let told = part.toldCount
            let found = try part.fileSystem.lookup(name, in: node, for: caller)
            return try entry(found, of: part, since: told)
        case .own(let path, .directory):
            return try entry(of: try names.directory(path).entry(name), in: path)
        case .own(_, .closed): throw .notPermitted
        case .own: throw .notDirectory
        }
    }

    /// An item of the view's own, or the root of a part.
    private func entry(of entry: CompositeEntry, in path: String) throws(Errno) -> Entry {
        let ownPath = path.isEmpty ? entry.name : "\(path)/\(entry.name)"
        guard case .part(let name) = entry.kind else {
            let (node, generation) = nodes.add(.own(ownPath, entry.kind))
            return Entry(node: node, generation: generation, attributes(of: ownPath, entry.kind))
        }
        let part = try parts.part(name) { () throws(Errno) in try layout.open(name) }
        if let notices = notices.withLock({ $0 }) { part.listen(nodes, notices) }
        let root = part.fileSystem.root
        let attributes = try part.fileSystem.attributes(of: root, handle: nil)
        let (node, generation) = nodes.add(.item(part, root))
        return Entry(node: node, generation: generation, attributes)
    }

    /// A part's answer, with this view's number.
    /// - Parameter told: what the part's `toldCount` was before it was read; nil: the kernel does not believe
    ///   it.
    func entry(_ entry: Entry, of part: CompositePart, since told: UInt64? = nil) throws(Errno) -> Entry {
        guard let item = entry.node else { throw .noSuchFileOrDirectory }
        var own = entry
        (own.node, own.generation) = nodes.add(.item(part, item))
        (own.entrySeconds, own.attributeSeconds) = (0, part.believedSeconds(item, since: told))
        return own
    }

    public func forget(_ node: NodeKey, count: Int) {
        guard case .item(let part, let item)? = nodes.forget(node, count: count) else { return }
        // A part's root is not counted there: it is as long as the part is.
        if item != part.fileSystem.root { part.fileSystem.forget(item, count: count) }
    }

    public func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        switch try nodes.content(of: node) {
        case .item(let part, let item):
            let told = part.toldCount
            var attributes = try part.fileSystem.attributes(of: item, handle: handle)
            attributes.seconds = part.believedSeconds(item, since: told)
            return attributes
        case .own(let path, let kind): return attributes(of: path, kind)
        }
    }

    public func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        switch try nodes.content(of: node) {
        case .item(let part, let item): return try part.fileSystem.readLink(item, into: buffer)
        case .own(_, .link(let target)):
            return UnbackedItem.give(target.utf8, to: buffer)
        case .own: throw .invalidArgument
        }
    }

    private func attributes(of path: String, _ kind: CompositeEntry.Kind) -> Attributes {
        let number = Self.number(of: path)
        let status =
            switch kind {
            case .directory, .part:
                FileMode.status(FileMode.directory | 0o555, of: owner, at: began, number: number)
            case .closed: FileMode.status(FileMode.directory | 0o700, of: owner, at: began, number: number)
            case .link(let target):
                FileMode.status(
                    FileMode.symlink | 0o777, of: owner, at: began, number: number,
                    sizeBytes: Int64(target.utf8.count))
            }
        return Attributes(status: status, seconds: 0)
    }

    /// An inode number that no backing file system has: 64-bit FNV-1a of the path, with the highest bit set.
    static func number(of path: String) -> UInt64 {
        let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return hash | 1 << 63
    }
}

// MARK: What a part answers

extension CompositeFileSystem {
    /// Runs `body` with the part that a node belongs to, and the node's number there.
    /// - Throws: the layout's refusal where it is the view's own.
    func withPart<R>(
        of node: NodeKey, _ body: (CompositePart, NodeKey) throws(Errno) -> R
    ) throws(Errno) -> R {
        guard case .item(let part, let item) = try nodes.content(of: node) else { throw layout.refusal }
        return try body(part, item)
    }
}

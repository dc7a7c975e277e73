internal import Posix
package import StoreBasics
package import SyncLog

/// What a person wants back.
package struct RestorationTarget: Equatable, Sendable {
    package var file: FileID
    /// A content that it has or had, by a revision of its set; nil: the last one of what is deleted.
    package var version: Revision?

    package init(file: FileID, version: Revision? = nil) {
        self.file = file
        self.version = version
    }
}

/// Nothing is brought back, for one of the targets cannot be.
package struct RefusedRestoration: Error, Equatable, Sendable {
    package var target: RestorationTarget
    package var refusal: RestorationRefusal
}

/// Why something cannot be brought back.
package enum RestorationRefusal: Error, Equatable, Sendable {
    /// It is there, and no version of it was named.
    case isThere
    /// It never had such a version, or has it not any more.
    case noSuchVersion
    /// A directory has no versions.
    case isDirectory
    /// It left the cloud: its bytes are where they were taken out.
    case isWithdrawn
    /// Its contents were kept until then.
    case isPast(StoreTime)
}

/// What items had, as operations that bring it back. A file comes back as itself, by an edit. A directory is
/// made anew, with all that was deleted together with it: only bytes revive a deleted one.
struct Restoration {
    struct Item {
        /// Nil: of what is made anew the file's id is new.
        var base: Revision?
        var file: FileID
        var parent: FileID
        var name: String
        var content: Content
        var attributes: Attributes
        /// What it takes the place of.
        var replacedBytes: UInt64 = 0
    }

    /// A directory before what lies in it.
    private(set) var items: [Item] = []
    /// What was taken out of the cloud, and so is not kept there: paths below what is restored.
    private(set) var withdrawn: [String] = []
    /// What was deleted earlier than the directory that it lay in, and stays so; when the last of it was.
    private(set) var earlier: (count: Int, last: StoreTime)?
    /// Contents whose time is over.
    private(set) var pastPaths: [String] = []

    private let tree: any TreeStorage
    /// What a commit would say now: what has expired by then is not there any more.
    private let now: StoreTime

    /// Items of a directory were deleted together where no more than this lies between one and the next: a
    /// large one takes many commits.
    private static let pauseSeconds: Int64 = 600

    init(_ tree: any TreeStorage, now: StoreTime) {
        self.tree = tree
        self.now = now
    }

    /// Bytes that a quota counts and did not.
    var addedBytes: UInt64 {
        items.reduce(0) { sum, item in
            let bytes = item.content.sizeBytes
            return sum.addingSaturated(bytes - min(bytes, item.replacedBytes))
        }
    }

    /// - Parameter contents: of the items, where their bytes lie.
    func operations(_ contents: [Content]) -> [Operation] {
        zip(items, contents).map { item, content in
            if let base = item.base {
                .edit(
                    Edit(
                        file: item.file, base: base, content: content, attributes: item.attributes,
                        parent: item.parent, name: item.name))
            } else {
                .create(
                    Creation(
                        file: item.file, parent: item.parent, name: item.name, content: content,
                        attributes: item.attributes))
            }
        }
    }

    /// - Parameter newFile: the next id for what is made anew.
    /// - Throws: `RestorationRefusal`; what the database throws.
    mutating func add(_ target: RestorationTarget, newFile: inout FileID) throws {
        guard let node = try tree.item(target.file) else { throw RestorationRefusal.noSuchVersion }
        // What is placed in a directory that left the cloud leaves it too.
        if try isBelowWithdrawn(node) { throw RestorationRefusal.isWithdrawn }
        switch node.state {
        case .withdrawn: throw RestorationRefusal.isWithdrawn
        case .live:
            if node.isDirectory { throw RestorationRefusal.isDirectory }
            guard let wanted = target.version else { throw RestorationRefusal.isThere }
            try addEdit(of: node, try version(wanted, of: node))
        case .deleted(let since):
            if node.isDirectory {
                guard target.version == nil else { throw RestorationRefusal.isDirectory }
                let (before, pastBefore) = (items.count, pastPaths.count)
                try addTree(node, since: try beginning(of: node, deletedAt: since), &newFile)
                // Names of directories are kept far longer than what was in them.
                let isBare = items[before...].allSatisfy { $0.content == .directory }
                if isBare, pastPaths.count > pastBefore { throw past(since) }
            } else if let wanted = target.version {
                try addEdit(of: node, try version(wanted, of: node))
            } else if let last = try last(of: node) {
                try addEdit(of: node, last)
            } else {
                throw past(since)
            }
        }
    }

    private func isBelowWithdrawn(_ node: Node) throws -> Bool {
        var next = try tree.node(node.parent)
        // Deeper than any tree of replay's: only a damaged database has a cycle.
        for _ in 0..<1 << 18 {
            guard let directory = next else { return false }
            if directory.state == .withdrawn { return true }
            next = try tree.node(directory.parent)
        }
        return false
    }

    /// - Parameter since: when its retention began. A person may have ended it before its time.
    private func past(_ since: StoreTime) -> RestorationRefusal {
        let end = since.adding(seconds: Retention.historySeconds)
        return end <= now ? .isPast(end) : .noSuchVersion
    }

    // MARK: One file

    private mutating func addEdit(of node: Node, _ version: Version) throws {
        items.append(
            Item(
                base: node.current?.revisions.first ?? version.revisions[0], file: node.id,
                parent: node.parent, name: node.wantedName, content: version.content,
                attributes: version.attributes, replacedBytes: node.current?.content.sizeBytes ?? 0))
    }

    private func version(_ wanted: Revision, of node: Node) throws -> Version {
        if let version = node.contents.first(where: { $0.revisions.contains(wanted) }) { return version }
        let history = try tree.history(of: node.id)
        guard let content = history.last(where: { $0.version.revisions.contains(wanted) }) else {
            throw RestorationRefusal.noSuchVersion
        }
        guard isKept(content) else { throw past(content.since) }
        return content.version
    }

    private func isKept(_ content: RetainedContent) -> Bool {
        content.since >= now.adding(seconds: -Retention.historySeconds)
    }

    /// What a deleted item had at its end; nil where that is not kept any more.
    private func last(of node: Node) throws -> Version? {
        let history = try tree.history(of: node.id).filter(isKept)
        // The latest to go; of a conflict that ended with the item, the latest that was made.
        return history.max { ($0.since, $0.version.position) < ($1.since, $1.version.position) }?.version
    }

    // MARK: A directory

    /// When the deletion that ended with the directory began.
    private func beginning(of top: Node, deletedAt end: StoreTime) throws -> StoreTime {
        var times: [StoreTime] = []
        var left = [top.id]
        while let directory = left.popLast() {
            for child in try tree.formerChildren(of: directory, after: nil, limit: .max) {
                guard case .deleted(let time) = child.state else { continue }
                times.append(time)
                if child.isDirectory { left.append(child.id) }
            }
        }
        var beginning = end
        for time in times.sorted(by: >) {
            guard time.seconds >= beginning.seconds - Self.pauseSeconds else { break }
            beginning = min(beginning, time)
        }
        return beginning
    }

    private mutating func addTree(
        _ top: Node, since: StoreTime, _ newFile: inout FileID
    ) throws {
        var left = [(node: top, parent: top.parent)]
        while let (node, parent) = left.popLast() {
            var item = Item(
                base: nil, file: newFile, parent: parent, name: node.name, content: .directory,
                attributes: node.attributes)
            if !node.isDirectory {
                guard let last = try last(of: node) else {
                    pastPaths.append(try path(of: node))
                    continue
                }
                (item.content, item.attributes) = (last.content, last.attributes)
            }
            items.append(item)
            newFile = newFile.next
            if node.isDirectory {
                left += try children(of: node, since: since).reversed().map { ($0, item.file) }
            }
        }
    }

    /// What lay in a directory when its deletion began: of each name, what had it last.
    private mutating func children(of directory: Node, since: StoreTime) throws -> [Node] {
        var latest: [NormalizedName: (node: Node, time: StoreTime)] = [:]
        var marks: [Node] = []
        for child in try tree.formerChildren(of: directory.id, after: nil, limit: .max) {
            let name = NormalizedName(child.name)
            switch child.state {
            case .live: continue
            case .withdrawn: marks.append(child)
            case .deleted(let time) where time < since:
                earlier = ((earlier?.count ?? 0) + 1, max(earlier?.last ?? time, time))
            case .deleted(let time):
                if let other = latest[name], other.time >= time { continue }
                latest[name] = (child, time)
            }
        }
        // Another item of that name may have come after it left the cloud, and comes back.
        withdrawn += try marks.filter { latest[NormalizedName($0.name)] == nil }.map(path)
        return latest.sorted { $0.key < $1.key }.map(\.value.node)
    }

    private func path(of node: Node) throws -> String {
        (try tree.lastPath(of: node.id) ?? [node.name]).joined(separator: "/")
    }
}

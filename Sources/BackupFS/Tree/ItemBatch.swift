internal import Backup

/// Items of one domain on their way into the tree. In the order of their paths a directory comes before what
/// is in it, and what is in one directory comes in the order of names.
struct ItemBatch {
    /// So many make a batch: enough that sorting what is there anew costs little.
    static let limit = 50_000

    private struct Entry {
        let start: UInt32
        let count: UInt32
        let facts: ItemFacts
    }

    private var entries: [Entry] = []
    /// With 0, which no name has, between the parts: so that a directory comes before all that begins with
    /// its name.
    private var paths: [UInt8] = []

    var isFull: Bool { entries.count >= Self.limit }

    /// - Parameter path: from where the domain has its place; "" is that place itself.
    mutating func add(_ path: String, _ facts: ItemFacts) {
        let start = paths.count
        paths.append(contentsOf: path.utf8.lazy.map { $0 == UInt8(ascii: "/") ? 0 : $0 })
        entries.append(Entry(start: UInt32(start), count: UInt32(paths.count - start), facts: facts))
    }

    /// Calls `body` with each path, parts with 0 between them, in their order.
    func forEachSorted(_ body: (UnsafeRawBufferPointer, ItemFacts) -> Void) {
        paths.withUnsafeBytes { paths in
            func path(_ entry: Entry) -> UnsafeRawBufferPointer {
                UnsafeRawBufferPointer(rebasing: paths[Int(entry.start)..<Int(entry.start + entry.count)])
            }
            let order = entries.indices.sorted { path(entries[$0]).compare(path(entries[$1])) < 0 }
            for index in order { body(path(entries[index]), entries[index].facts) }
        }
    }
}

extension BackupTree {
    /// Adds items of a domain.
    ///
    /// Two domains may have items at one path. Directories become one, and the record of the first counts. A
    /// file whose name is another item's is called `NAME~DOMAIN`, one in a directory's place `NAME~file`.
    ///
    /// - Parameters:
    ///   - place: the directory that the domain's paths begin at.
    ///   - missing: what a directory is like that the backup does not have.
    ///   - lost: told of each item that there is no room for.
    mutating func add(
        _ batch: ItemBatch, of domain: String, at place: Number, missing: ItemFacts,
        lost: (ItemFacts) -> Void
    ) {
        var run = BatchRun(place, domain, missing)
        batch.forEachSorted { path, facts in
            guard !path.isEmpty else { return }
            if !run.add(path, facts, to: &self) { lost(facts) }
        }
        sort(run.changed)
        var counts: [BatchRun.LateName: Int] = [:]
        for late in run.late where !add(late, &counts) { lost(late.facts) }
    }

    /// - Parameter counts: how many got a name like it in this batch.
    private mutating func add(_ late: BatchRun.Late, _ counts: inout [BatchRun.LateName: Int]) -> Bool {
        guard let name = freeName(late.wanted, after: &counts[late.wanted, default: 0]) else { return false }
        return name.withUnsafeBytes { name in
            guard let number = late.number else {
                return insert(name, in: late.wanted.parent, late.facts) != nil
            }
            putBack(number, as: name)
            return true
        }
    }

    /// The kernel's, for names of a FUSE file system, less what its callers may add.
    private static let nameLimitBytes = 1000

    /// - Parameter count: of the last name that was found, and then of this one.
    private func freeName(_ wanted: BatchRun.LateName, after count: inout Int) -> [UInt8]? {
        while count < Self.sameNames {
            count += 1
            let end = Array("~\(wanted.suffix)\(count > 1 ? "~\(count)" : "")".utf8)
            let tried = wanted.name.prefix(Self.nameLimitBytes - end.count) + end
            if tried.withUnsafeBytes({ child($0, of: wanted.parent) }) == nil { return Array(tried) }
        }
        return nil
    }

    /// So many items of one name are shown in a directory.
    private static let sameNames = 1000
}

/// A batch on its way into the tree.
private struct BatchRun {
    /// What gets another name, once all others have theirs.
    struct Late {
        let wanted: LateName
        /// nil: it is not in the tree yet.
        let number: BackupTree.Number?
        let facts: ItemFacts
    }

    struct LateName: Hashable {
        let name: [UInt8]
        let suffix: String
        let parent: BackupTree.Number
    }

    private let domain: String
    private let missing: ItemFacts
    /// The directories that the last path leads through, the domain's place first.
    private var directories: [BackupTree.Number]
    private var parts: [[UInt8]] = []
    private(set) var changed: Set<BackupTree.Number> = []
    private(set) var late: [Late] = []

    init(_ place: BackupTree.Number, _ domain: String, _ missing: ItemFacts) {
        self.domain = domain
        self.missing = missing
        directories = [place]
    }

    mutating func add(
        _ path: UnsafeRawBufferPointer, _ facts: ItemFacts, to tree: inout BackupTree
    ) -> Bool {
        let names = path.split(separator: 0, omittingEmptySubsequences: false)
        enter(names.dropLast(), in: &tree)
        guard directories.count == names.count, let parent = directories.last, let name = names.last else {
            return false
        }
        let bytes = UnsafeRawBufferPointer(rebasing: name)
        guard let there = tree.child(bytes, of: parent) else {
            changed.insert(parent)
            return tree.append(bytes, in: parent, facts) != nil
        }
        // The list has a row twice.
        if let identifier = facts.identifier, tree[there].identifier == identifier { return false }
        if facts.isDirectory {
            return directory(bytes, in: parent, there: there, facts, in: &tree) != nil
        }
        let suffix = tree.isDirectory(there) ? "file" : domain
        let wanted = LateName(name: Array(name), suffix: suffix, parent: parent)
        late.append(Late(wanted: wanted, number: nil, facts: facts))
        return true
    }

    /// Goes to the directory with these parts, and makes what is missing on the way.
    private mutating func enter(
        _ names: ArraySlice<Slice<UnsafeRawBufferPointer>>, in tree: inout BackupTree
    ) {
        let common = zip(parts, names).prefix { $0.elementsEqual($1) }.count
        parts.removeLast(parts.count - common)
        directories.removeLast(directories.count - 1 - common)
        for name in names.dropFirst(common) {
            let bytes = UnsafeRawBufferPointer(rebasing: name)
            let parent = directories[directories.count - 1]
            let found: BackupTree.Number?
            if let there = tree.child(bytes, of: parent) {
                found =
                    tree.isDirectory(there)
                    ? there : directory(bytes, in: parent, there: there, missing, in: &tree)
            } else {
                changed.insert(parent)
                found = tree.appendMissing(bytes, in: parent, missing)
            }
            guard let found else { return }
            parts.append(Array(name))
            directories.append(found)
        }
    }

    /// A directory where an item is already.
    private mutating func directory(
        _ name: UnsafeRawBufferPointer, in parent: BackupTree.Number, there: BackupTree.Number,
        _ facts: ItemFacts, in tree: inout BackupTree
    ) -> BackupTree.Number? {
        if tree.isDirectory(there) {
            if tree[there].identifier == nil { tree[there] = facts }
            return there
        }
        tree.takeOut(there)
        let wanted = LateName(name: Array(name), suffix: "file", parent: parent)
        late.append(Late(wanted: wanted, number: there, facts: tree[there]))
        changed.insert(parent)
        return tree.append(name, in: parent, facts)
    }
}

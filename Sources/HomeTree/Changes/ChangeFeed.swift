internal import Posix

/// Who wants to know what changes in Documents.
public protocol ChangeListener: AnyObject, Sendable {
    /// Something changed. Called once until the changes are taken, from a thread that serves a request, with
    /// a directory's lock held: must not wait, nor call the tree.
    func changesCame()
}

/// What changed below Documents since it was last taken. Guarded with the tables.
///
/// An inode is noted by a mark of its own and one number in a list, so whoever writes a file a thousand times
/// pays for one. A name that came or went is noted by its bytes.
struct ChangeFeed {
    struct Name {
        /// Holds a reference.
        let parent: InodeNumber
        /// Where its bytes end in `bytes`; they begin where those of the name before end.
        let end: Int
        let role: Role
    }

    enum Role: Equatable {
        case alone
        /// Of anything but a directory, by unlink. With the backing number of what it stood for.
        case removed(UInt64)
        /// The other half is told too: both are to be looked at together.
        case half
        /// Of a rename within Documents; the new name comes next.
        case oldName
        case newName

        /// It may be told without what was noted with it.
        var isByItself: Bool {
            switch self {
            case .alone, .removed: true
            case .half, .oldName, .newName: false
            }
        }
    }

    struct Item {
        let number: InodeNumber
        /// The number may be another inode's by the time that it is asked for.
        let generation: UInt32
    }

    /// What has gathered since it was taken.
    struct Gathered {
        /// Changed inodes. One that ends before it is taken leaves its name behind.
        var items: [Item] = []
        var names: [Name] = []
        var bytes: [UInt8] = []
        /// Backing numbers of changed inodes that have several names, of which the tree knows one.
        var linked: Set<UInt64> = []
        var hasDepartures = false
        /// Directories in which so many names came and went that each is to be compared with all below it.
        /// Each holds a reference.
        var whole: Set<InodeNumber> = []
        /// So many directories, or files of several names, that all of Documents is to be compared.
        var isEverything = false

        mutating func add(
            _ name: some Sequence<UInt8>, in parent: InodeNumber, as role: Role
        ) {
            bytes.append(contentsOf: name)
            names.append(Name(parent: parent, end: bytes.count, role: role))
        }

        /// Whether what comes in this directory needs no name.
        func covers(_ directory: InodeNumber) -> Bool { isEverything || whole.contains(directory) }

        var eachName: some Sequence<(Name, ArraySlice<UInt8>)> {
            names.indices.lazy.map { index in
                (names[index], bytes[(index == 0 ? 0 : names[index - 1].end)..<names[index].end])
            }
        }

        mutating func clearNames() {
            (names, bytes, hasDepartures, whole, isEverything) = ([], [], false, [], false)
        }

        /// Has directories stand for the names, each with one of the references that the names held.
        /// - Returns: the references that are too many.
        mutating func summarise() -> [InodeNumber] {
            let spare = names.map(\.parent).filter { !whole.insert($0).inserted }
            (names, bytes) = ([], [])
            return spare
        }

        /// Names that were taken out, before those that came since.
        mutating func putBack(_ earlier: Gathered) {
            guard !earlier.names.isEmpty else { return }
            var all = Gathered(
                items: items, names: earlier.names, bytes: earlier.bytes, linked: linked,
                hasDepartures: hasDepartures, whole: whole, isEverything: isEverything)
            for (name, bytes) in eachName {
                all.add(bytes, in: name.parent, as: name.role)
            }
            self = all
        }
    }

    let listener: any ChangeListener
    /// Holds a reference.
    let documents: InodeNumber
    /// Of so many names (some 60 bytes each) the directories that hold them stand for them.
    let mostNames: Int
    /// At so many items those of inodes that have ended are dropped.
    var itemsToSweep: Int
    var gathered = Gathered()
    /// Even. An inode whose mark equals it is listed; one above it: not below Documents.
    var mark: UInt32 = 2
    /// The listener is told of the next change.
    var isArmed = true

    /// Makes all marks void: each inode is listed anew at its next change.
    mutating func forgetMarks() {
        mark &+= 2
        // 0 is the mark of an inode that never changed.
        if mark == 0 { mark = 2 }
    }

    /// To be called after something was added: whom to tell.
    mutating func wake() -> (any ChangeListener)? {
        guard isArmed else { return nil }
        isArmed = false
        return listener
    }
}

extension Tables {
    /// Notes that an inode's contents or attributes changed, or its only name came.
    /// - Returns: whom to tell, outside the table lock.
    mutating func noteChanged(_ number: InodeNumber) -> (any ChangeListener)? {
        guard let mark = feed?.mark, let inode = slab.live(number) else { return nil }
        if inode.pointee.changeMark | 1 == mark | 1 { return nil }
        // Another of its names may lie below Documents.
        let isListed = inode.pointee.flags.contains(.linked) || isBelowDocuments(number)
        inode.pointee.changeMark = isListed ? mark : mark | 1
        if !isListed { return nil }
        feed?.gathered.items.append(
            ChangeFeed.Item(number: number, generation: inode.pointee.generation))
        sweepItems()
        return feed?.wake()
    }

    /// Notes that a name came, went, or stands for something else.
    /// - Returns: whom to tell, outside the table lock.
    mutating func noteName(
        _ name: FileName, in directory: InodeNumber, as role: ChangeFeed.Role = .alone
    ) -> (any ChangeListener)? {
        guard feed != nil, isBelowDocuments(directory) else { return nil }
        if feed?.gathered.covers(directory) == true { return feed?.wake() }
        slab[directory].pointee.references += 1
        feed?.gathered.add(name.bytes, in: directory, as: role)
        if role != .oldName { boundFeed() }
        return feed?.wake()
    }

    /// While nobody takes the changes, because sync is paused, they grow no further.
    private mutating func boundFeed() {
        guard let feed, feed.gathered.names.count >= feed.mostNames else { return }
        // Each of these directories keeps one reference: nothing ends here.
        for spare in self.feed?.gathered.summarise() ?? [] { slab[spare].pointee.references -= 1 }
        if feed.gathered.whole.count >= feed.mostNames { self.feed?.gathered.isEverything = true }
    }

    /// An inode that ended has left its name. Each look doubles the way to the next: a change pays for one.
    private mutating func sweepItems() {
        guard let feed, feed.gathered.items.count >= feed.itemsToSweep else { return }
        let slab = self.slab
        self.feed?.gathered.items.removeAll { slab.live($0.number)?.pointee.generation != $0.generation }
        let left = self.feed?.gathered.items.count ?? 0
        self.feed?.itemsToSweep = max(feed.mostNames, left * 2)
    }

    /// Notes a changed inode that has names which the tree does not know.
    private mutating func noteLinked(_ backingNumber: UInt64) {
        guard let feed, !feed.gathered.isEverything else { return }
        self.feed?.gathered.linked.insert(backingNumber)
        guard feed.gathered.linked.count >= feed.mostNames else { return }
        self.feed?.gathered.linked = []
        self.feed?.gathered.isEverything = true
    }

    /// Takes some of the changed inodes out of the feed. Each is listed anew at its next change.
    /// - Returns: whether none is left.
    mutating func takeItems(_ count: Int, into changes: inout TreeChanges) -> Bool {
        for _ in 0..<count {
            guard let item = feed?.gathered.items.popLast() else { break }
            guard let inode = slab.live(item.number), inode.pointee.generation == item.generation else {
                continue
            }
            inode.pointee.changeMark = 0
            if let path = pathBelowDocuments(item.number) { changes.paths.insert(path) }
            if inode.pointee.flags.contains(.linked) {
                changes.linked.insert(inode.pointee.identity.number)
            }
        }
        guard let feed, feed.gathered.items.isEmpty else { return feed == nil }
        changes.linked.formUnion(feed.gathered.linked)
        self.feed?.gathered.linked = []
        self.feed?.forgetMarks()
        return true
    }

    /// - Returns: whom to tell that more is left.
    mutating func armFeed() -> (any ChangeListener)? {
        feed?.isArmed = true
        guard let gathered = feed?.gathered,
            !(gathered.items.isEmpty && gathered.names.isEmpty && gathered.whole.isEmpty
                && !gathered.isEverything)
        else {
            return nil
        }
        return feed?.wake()
    }

    /// Whether an inode is Documents or lies below it.
    func isBelowDocuments(_ number: InodeNumber) -> Bool {
        guard let documents = feed?.documents else { return false }
        var current = number
        while current != documents {
            guard let inode = slab.live(current), inode.name != nil else { return false }
            current = inode.pointee.parent
        }
        return true
    }

    /// A listed inode is about to end: its name stays noted, with the reference to its parent.
    /// - Returns: whether the reference was kept.
    mutating func keepChange(of number: InodeNumber) -> Bool {
        guard let mark = feed?.mark else { return false }
        let inode = slab[number]
        guard inode.pointee.changeMark == mark else { return false }
        if inode.pointee.flags.contains(.linked) {
            noteLinked(inode.pointee.identity.number)
        }
        guard let name = inode.name, feed?.gathered.covers(inode.pointee.parent) == false else {
            return false
        }
        feed?.gathered.add(FileName(name).bytes, in: inode.pointee.parent, as: .alone)
        boundFeed()
        return true
    }
}

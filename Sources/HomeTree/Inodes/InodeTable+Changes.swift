internal import Posix

/// What is noted of changes below Documents, with the inodes that it is about.
extension InodeTable {
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

    /// Of changed inodes, and of names that came or went.
    var gatheredChanges: Int { feed.map { $0.gathered.items.count + $0.gathered.names.count } ?? 0 }

    /// Nil where nobody listens.
    var isFeedArmed: Bool? { feed?.isArmed }

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

    /// The names that lead from Documents to an inode; nil where it does not lie there.
    func pathBelowDocuments(_ number: InodeNumber) -> [[UInt8]]? {
        guard let documents = feed?.documents else { return nil }
        return path(of: number, from: documents)
    }

    private func isBelowStaging(_ number: InodeNumber) -> Bool {
        guard let staging else { return false }
        return path(of: number, from: staging) != nil
    }

    /// Notes a rename. What comes from outside Documents, or goes there, changes the standing of all below.
    /// - Returns: whom to tell, outside the table lock.
    mutating func noteNames(
        _ name: FileName, in directory: InodeNumber, _ newName: FileName, in newDirectory: InodeNumber,
        isExchange: Bool
    ) -> (any ChangeListener)? {
        let isInside = isBelowDocuments(directory)
        let staysInside = directory == newDirectory || isInside == isBelowDocuments(newDirectory)
        if !staysInside {
            feed?.forgetMarks()
            // What is moved to staging is being removed.
            if isInside || isExchange, !isBelowStaging(isInside ? newDirectory : directory) {
                feed?.gathered.hasDepartures = true
            }
        }
        let isPlain = staysInside && !isExchange
        let oldRole: ChangeFeed.Role = isPlain ? .oldName : isExchange ? .arrival : .half
        let first = noteName(name, in: directory, as: oldRole)
        return noteName(newName, in: newDirectory, as: isPlain ? .newName : .arrival) ?? first
    }

    /// As `noteChanged`, for the inode of a handle with which contents may change unseen.
    mutating func noteSynced(_ handle: FileHandle) -> (any ChangeListener)? {
        handles.writtenInode(handle.index).flatMap { noteChanged($0) }
    }

    /// Takes the names, and what stands for them, out of the feed.
    mutating func takeNames() -> ChangeFeed.Gathered? {
        let gathered = feed?.gathered
        feed?.gathered.clearNames()
        return gathered
    }

    /// - Returns: false where nobody wants to know any more.
    mutating func putBackNames(_ names: ChangeFeed.Gathered) -> Bool {
        feed?.gathered.putBack(names)
        return feed != nil
    }

    /// Gathers for somebody else from now on, or for nobody.
    /// - Returns: the feed that ends, whose references are to be given back.
    mutating func replaceFeed(with new: ChangeFeed?) -> ChangeFeed? {
        let old = feed
        feed = new
        return old
    }
}

internal import CloudSync

/// What apps do, as system calls; each keeps the ledger of what they were promised.
extension Disk {
    /// A place where an entry is or may be.
    struct Slot {
        let directory: Inode
        let path: LocalPath
        var name: String { path.name ?? "" }
        var inode: Inode? { directory.entries[name] }
    }

    func slot(_ path: LocalPath) -> Slot? {
        guard path.name != nil, let directory = find(path.parent), directory.isDirectory else { return nil }
        return Slot(directory: directory, path: path)
    }

    /// open(O_CREAT | O_EXCL) or mkdir.
    func create(_ kind: Inode.Kind, at slot: Slot) -> Inode? {
        guard slot.inode == nil, !isFull else { return nil }
        let inode = makeInode(kind, mode: 0o644)
        if inode.isDirectory { tell("mkdir \(slot.path.names)") }
        insert(inode, slot.name, into: slot.directory)
        note(slot.path)
        return inode
    }

    /// The whole content at once, with the notices of its names.
    func write(_ inode: Inode, _ token: Token, size: Int) {
        guard !isFull else { return }
        willOpen(inode)
        // The same bytes again are no content that anybody could miss.
        if inode.bytes == token.bytes(size: size) { return touch(inode) }
        replaced(inode)
        inode.bytes = token.bytes(size: size)
        inode.away = nil
        touch(inode)
        let paths = paths(of: inode)
        tell("content \(token.number) in \(paths.map(\.names))")
        // That sync took its last name away is not the app's doing.
        guard !isGone(inode) || inode.isTaken else { return }
        ledger.acknowledge(
            token, inode.bytes, device: device, path: paths.first.map { "\($0.names)" } ?? "?",
            time: timeline.now)
        noteFlag(inode)
    }

    /// A write that has only half come to pass: what was there is gone, and nothing is promised yet.
    func writeHalf(_ inode: Inode, _ token: Token, size: Int) {
        guard !isFull else { return }
        willOpen(inode)
        replaced(inode)
        inode.away = nil
        inode.bytes = Array(token.bytes(size: size).prefix(size / 2))
        touch(inode)
    }

    private func touch(_ inode: Inode) {
        inode.modified = tick()
        inode.changed = inode.modified
        inode.writtenAt = timeline.now
        for path in paths(of: inode) { note(path) }
    }

    /// Its bytes are another's now; the one who did it had them before him.
    func replaced(_ inode: Inode) {
        if let token = token(of: inode) { ledger.supersede(token, on: device) }
    }

    private func token(of inode: Inode) -> Token? {
        inode.away.flatMap(ledger.token) ?? Token(whole: inode.bytes)
    }

    /// No app can find it any more. What sync has displaced is an edit of what it was, unless it is flagged:
    /// that goes with its last name, for its bytes may not leave.
    private func isGone(_ inode: Inode) -> Bool {
        inode.links == (inode.isFlagged ? staging.values.count { $0 === inode } : 0)
    }

    /// Names of theirs are about to be another's, or nobody's.
    private func part(_ inodes: [Inode]) {
        for inode in inodes {
            if let token = token(of: inode) { ledger.part(token, on: device, from: .oneName) }
        }
    }

    /// A name of its own was taken by the person. Sync may hold it still, under one that it took before.
    private func didTake(_ inode: Inode) {
        if isGone(inode) {
            replaced(inode)
        } else if staging.values.contains(where: { $0 === inode }), let token = token(of: inode),
            !shows(token)
        {
            ledger.part(token, on: device, from: .allNames)
        }
    }

    /// It lies under some name, or will again.
    func shows(_ token: Token) -> Bool {
        var isFound = false
        for top in [root, parking, outside] {
            walk(top, LocalPath()) { _, inode in
                if inode.isFile, self.token(of: inode) == token { isFound = true }
            }
        }
        return isFound
    }

    /// I11: whoever opens a file is never kept waiting by sync.
    func willOpen(_ inode: Inode) {
        if inode.isLeased { didFail("I11: an app waits for the file that sync reads") }
    }

    func fsync(_ inode: Inode) { syncBytes(of: inode) }

    func unlink(_ slot: Slot) {
        guard let inode = slot.inode, !inode.isDirectory else { return }
        tell("unlink \(slot.path.names), \(describe(inode))")
        willTake(slot.path, inode)
        part([inode])
        removeEntry(slot.name, of: slot.directory)
        didTake(inode)
        changes.removed.insert(inode.number)
        note(slot.path)
    }

    func removeTree(_ slot: Slot) {
        guard let inode = slot.inode, inode.isDirectory else { return unlink(slot) }
        for name in inode.entries.keys.sorted() {
            removeTree(Slot(directory: inode, path: slot.path.appending(name)))
        }
        tell("rmdir \(slot.path.names)")
        didRemove([inode])
        removeEntry(slot.name, of: slot.directory)
        note(slot.path)
    }

    /// rename(2): takes the place of what is there where it may.
    func rename(_ from: Slot, to: Slot) {
        guard let inode = from.inode, inode !== to.inode else { return }
        guard !inode.isDirectory || !to.directory.isBelow(inode) else { return }
        tell("rename \(from.path.names) to \(to.path.names), \(describe(inode))")
        // Under a name that sync knows it is that item from then on, and its own is told as deleted.
        willTake(from.path, inode)
        let target = to.inode
        if let target {
            guard target.isDirectory == inode.isDirectory, target.entries.isEmpty else {
                return tell("that is refused")
            }
            if target.isDirectory { didRemove([target]) }
            willTake(to.path, target)
        }
        part([inode] + (target.map { [$0] } ?? []))
        atOnce {
            removeEntry(to.name, of: to.directory)
            removeEntry(from.name, of: from.directory)
            insert(inode, to.name, into: to.directory)
        }
        if let target { didTake(target) }
        changes.renames.append(LocalMove(from: from.path, to: to.path))
        note(from.path, isRename: true)
        note(to.path, isRename: true)
        noteFlag(inode)
    }

    /// renameat2(RENAME_EXCHANGE).
    func exchange(_ left: Slot, _ right: Slot) {
        guard let first = left.inode, let second = right.inode, first !== second else { return }
        guard !left.directory.isBelow(second), !right.directory.isBelow(first) else { return }
        tell("exchange \(left.path.names) and \(right.path.names)")
        // By its name it is its item no more.
        if first.isFile, second.isDirectory { willSwap(left.path, first) }
        if second.isFile, first.isDirectory { willSwap(right.path, second) }
        part([first, second])
        atOnce {
            removeEntry(left.name, of: left.directory)
            removeEntry(right.name, of: right.directory)
            insert(second, left.name, into: left.directory)
            insert(first, right.name, into: right.directory)
        }
        changes.arrivals.formUnion([left.path, right.path])
        note(left.path, isRename: true)
        note(right.path, isRename: true)
        noteFlag(first)
        noteFlag(second)
    }

    func link(_ from: Slot, to: Slot) {
        guard let inode = from.inode, inode.isFile, inode.away == nil, to.inode == nil else { return }
        tell("link \(from.path.names) to \(to.path.names), \(describe(inode))")
        insert(inode, to.name, into: to.directory)
        note(to.path)
        for path in paths(of: inode) { note(path) }
        noteFlag(inode)
    }

    func setFlag(_ slot: Slot, _ isFlagged: Bool) {
        guard let inode = slot.inode, inode.isFile || inode.isDirectory else { return }
        tell("flag \(isFlagged) \(slot.path.names), \(describe(inode))")
        flag(inode, isFlagged)
        for path in inode.isFile ? paths(of: inode) : [slot.path] { note(path) }
        noteFlag(inode)
    }

    func change(_ slot: Slot, _ body: (Inode) -> Void) {
        guard let inode = slot.inode else { return }
        body(inode)
        inode.changed = tick()
        for path in inode.isFile ? paths(of: inode) : [slot.path] { note(path) }
    }

    /// For who reads along.
    private func tell(_ text: @autoclosure () -> String) {
        trace?.sink?("    device \(device): \(text())")
    }

    private func describe(_ inode: Inode) -> String {
        Token(whole: inode.bytes).map { "content \($0.number)" } ?? (inode.isDirectory ? "directory" : "torn")
    }

    /// What lies out of Documents, by name.
    func outsideSlot(_ name: String) -> Slot { Slot(directory: outside, path: LocalPath([name])) }

    /// Out of Documents or back in; the notices are of the side that syncs.
    func carry(_ from: Slot, to: Slot) {
        guard let inode = from.inode, to.inode == nil else { return }
        if to.directory === outside { didRemove(inode.directories) }
        tell("carry \(from.path.names) to \(to.path.names), \(describe(inode))")
        atOnce {
            removeEntry(from.name, of: from.directory)
            insert(inode, to.name, into: to.directory)
        }
        if to.directory === outside { changes.hasDepartures = true } else { changes.arrivals.insert(to.path) }
        note(from.directory === outside ? to.path : from.path, isRename: true)
        noteFlag(inode)
    }

    /// Keeps the ledger's mark of what a flag covers, of all files below.
    func noteFlag(_ inode: Inode) {
        if inode.isDirectory {
            for child in inode.entries.values.sorted(by: { $0.number < $1.number }) { noteFlag(child) }
        } else if let token = Token(head: inode.bytes[...]) {
            // Torn or whole: who unflags half a content lets that half go.
            if isCovered(inode) {
                ledger.flag(token, on: device, at: timeline.now)
            } else {
                ledger.unflag(token, on: device)
            }
        }
    }

    /// Under each of its names, those below what sync has parked too: they come back.
    private func isCovered(_ inode: Inode) -> Bool {
        var isCoveredThere: [Bool] = []
        for top in [root, parking] {
            walk(top, LocalPath()) { path, child in
                if child === inode { isCoveredThere.append(isFlagged(path, below: top)) }
            }
        }
        return isCoveredThere.isEmpty ? inode.isFlagged : isCoveredThere.allSatisfy { $0 }
    }

    private func isFlagged(_ path: LocalPath, below top: Inode) -> Bool {
        var inode = top
        for name in path.names {
            guard let child = inode.entries[name] else { return false }
            if child.isFlagged { return true }
            inode = child
        }
        return false
    }
}

internal import Posix

/// What holds between two transitions, for tests to ask.
extension InodeTable {
    /// - Returns: each invariant that does not hold, in words; none where all do.
    func checkInvariants() -> [String] {
        var broken: [String] = []
        var (children, openFiles): ([InodeNumber: UInt32], [InodeNumber: UInt32]) = ([:], [:])
        for handle in handles.all {
            openFiles[handle.inode, default: 0] += 1
            if slab.live(handle.inode) == nil { broken.append("a handle of the ended \(handle.inode)") }
        }
        let live = self.live
        for number in live {
            let inode = slab[number].pointee
            guard slab[number].name != nil else { continue }
            children[inode.parent, default: 0] += 1
            if slab.live(inode.parent) == nil { broken.append("\(number) stands in an ended directory") }
        }
        for name in feed?.gathered.names ?? [] { children[name.parent, default: 0] += 1 }
        for directory in feed?.gathered.whole ?? [] { children[directory, default: 0] += 1 }
        for number in live { broken += check(number, children[number] ?? 0, openFiles[number] ?? 0) }
        for number in byIdentity.all where slab.live(number).map({ inode($0.pointee.identity) }) != number {
            broken.append("an identity leads to \(number), which is another")
        }
        if byName.all.count != live.filter({ slab[$0].name != nil }).count {
            broken.append("names lead to more inodes than have them, or to fewer")
        }
        for number in retired.keys where slab.live(number) == nil {
            broken.append("a closed handle's descriptor waits for the ended \(number)")
        }
        return broken
    }

    private func check(_ number: InodeNumber, _ children: UInt32, _ openFiles: UInt32) -> [String] {
        let record = slab[number]
        let inode = record.pointee
        var broken: [String] = []
        let isRoot = inode.flags.contains(.root)
        if inode.references < children + openFiles { broken.append("\(number) has too few references") }
        if isRoot && inode.descriptor < 0 { broken.append("the root \(number) has no descriptor") }
        if let name = record.name, child(FileName(name), in: inode.parent) != number {
            broken.append("the name of \(number) leads elsewhere")
        }
        if inode.isDetached != (record.name == nil) && !isRoot {
            broken.append("\(number) is detached and has a name, or neither")
        }
        if !isRoot, inode.descriptor >= 0, !cache.lists(number, at: inode.cacheIndex) {
            broken.append("the descriptor of \(number) cannot be evicted")
        }
        if inode.writeHandles > openFiles || inode.writers > inode.writeHandles {
            broken.append("\(number) counts more writers than there are")
        }
        if (inode.firstHandle == HandleTable.none) != (openFiles == 0) {
            broken.append("the list of handles of \(number) is another than the table's")
        }
        return broken
    }
}

extension HomeTree {
    /// What does not hold of the inode table, in words, while no call is under way. For tests.
    public func checkInvariants() -> [String] { tables.withLock { $0.checkInvariants() } }
}

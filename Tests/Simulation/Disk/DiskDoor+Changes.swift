internal import CloudSync
internal import SyncContent
internal import SyncLog

/// What sync changes on the disk. Names are durable when it makes them so, and a life may end between any two
/// of its steps.
extension DiskDoor {
    func makeDurable(_ directories: Set<LocalPath>) throws(LocalError) {
        try begin("make durable")
        disk.syncNames()
    }

    func place(
        _ staged: any StagedFile, at path: LocalPath, in home: Fingerprint?, attributes: Attributes,
        displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint {
        try begin("place")
        if disk.isFull { throw .full }
        guard let staged = staged as? Staged else { throw .failed(22) }
        let (directory, name) = try parent(of: path, being: home)
        let present = directory.entries[name]
        guard present.map({ disk.fingerprint(of: $0, at: path) }) == displacing, present?.isFile ?? true
        else { throw .changed }
        try prepareDatabase(present, at: path)
        let inode = disk.makeInode(.file, mode: attributes.mode)
        inode.bytes = staged.bytes
        inode.isFlagged = staged.isFlagged
        apply(attributes, to: inode)
        disk.syncBytes(of: inode)
        // The last look was before the exchange: what an app does in between is in what comes out.
        try begin("place: exchange")
        guard disk.find(path.parent) === directory else { throw .changed }
        guard directory.entries[name] === present else { throw .changed }
        disk.atOnce {
            if let present { take(present, name, from: directory, as: staged.name) }
            disk.insert(inode, name, into: directory)
        }
        note("place", "\(path.names)", inode)
        return inode.fingerprint
    }

    func keepDisplaced(
        _ staged: any StagedFile, _ attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        try begin("keepDisplaced")
        guard let staged = staged as? Staged else { throw .failed(22) }
        let inode = disk.makeInode(.file, mode: attributes.mode)
        inode.bytes = staged.bytes
        apply(attributes, to: inode)
        disk.displace(inode, as: staged.name)
        disk.syncBytes(of: inode)
        return inode.fingerprint
    }

    func make(
        _ content: SmallContent, at path: LocalPath, in home: Fingerprint?, attributes: Attributes
    ) throws(LocalError) -> Fingerprint {
        try begin("make")
        if disk.isFull { throw .full }
        let (directory, name) = try parent(of: path, being: home)
        guard directory.entries[name] == nil else { throw .changed }
        let inode: Inode
        switch content {
        case .directory: inode = disk.makeInode(.directory, mode: attributes.mode)
        case .symlink(let target): inode = disk.makeInode(.symlink(target), mode: 0o777)
        }
        apply(attributes, to: inode)
        disk.insert(inode, name, into: directory)
        note("make", "\(path.names)", inode)
        return inode.fingerprint
    }

    func move(
        _ path: LocalPath, to destination: LocalPath, in home: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint {
        try begin("move")
        let (directory, name) = try parent(of: path)
        let (target, newName) = try parent(of: destination, being: home)
        guard let inode = directory.entries[name] else { throw .gone }
        guard isExpected(inode, at: path, expecting) else { throw .changed }
        // Another spelling of the same name is the same entry.
        let stays = directory === target && name == newName
        guard stays || target.entries[newName] == nil else { throw .changed }
        guard !inode.isDirectory || !target.isBelow(inode) else { throw .failed(22) }
        if let parked = destination.parkedName {
            disk.setWay(path, of: parked)
            try begin("move: way")
            guard disk.find(path) === inode else { throw .changed }
        }
        disk.atOnce {
            disk.removeEntry(name, of: directory)
            disk.insert(inode, newName, into: target)
        }
        note("move", "\(path.names) to \(destination.names)", inode)
        if let parked = path.parkedName {
            try begin("move: done")
            disk.setWay(nil, of: parked)
        }
        return inode.fingerprint
    }

    func remove(_ path: LocalPath, expecting: Fingerprint, displacedAs name: String) throws(LocalError) {
        try begin("remove")
        let (directory, entry) = try parent(of: path)
        guard let inode = directory.entries[entry] else { throw .gone }
        guard isExpected(inode, at: path, expecting), inode.entries.isEmpty else { throw .changed }
        try prepareDatabase(inode, at: path)
        disk.atOnce { take(inode, entry, from: directory, as: name) }
        note("remove", "\(path.names)", inode)
    }

    func setAttributes(_ path: LocalPath, _ attributes: Attributes, expecting: Fingerprint) throws(LocalError)
        -> Fingerprint
    {
        try begin("setAttributes")
        guard let inode = disk.find(path) else { throw .gone }
        guard isExpected(inode, at: path, expecting) else { throw .changed }
        if inode.writers > 0 { throw .inUse }
        apply(attributes, to: inode)
        noteNames(of: inode)
        note("attributes", "\(path.names)", inode)
        return inode.fingerprint
    }

    func setFlag(at path: LocalPath) throws(LocalError) {
        try begin("setFlag")
        guard let inode = disk.find(path) else { throw .gone }
        guard inode.isFile || inode.isDirectory else { return }
        disk.flag(inode, true)
        disk.syncNames()
        noteNames(of: inode)
        note("flag", "\(path.names)", inode)
    }

    /// Sync's own change is a change of all names that a file has, and the mount tells of each.
    private func noteNames(of inode: Inode) {
        guard inode.isFile, inode.links > 1 else { return }
        for path in disk.paths(of: inode) { disk.note(path) }
    }

    /// Of a directory other times say only that something in it changed.
    private func isExpected(_ inode: Inode, at path: LocalPath, _ expected: Fingerprint) -> Bool {
        inode.isDirectory
            ? inode.fingerprint.isSameInode(as: expected)
            : disk.fingerprint(of: inode, at: path) == expected
    }

    /// Takes a name away. A file stays linked in staging, for whoever has it open.
    private func take(_ inode: Inode, _ entry: String, from directory: Inode, as name: String) {
        if inode.isFile, rules.hold(.displacedStaysLinked) { disk.displace(inode, as: name) }
        disk.removeEntry(entry, of: directory)
        inode.isTaken = inode.links == 0
    }

    private func apply(_ attributes: Attributes, to inode: Inode) {
        if case .symlink = inode.kind {} else { inode.mode = attributes.mode }
        inode.extended = attributes.extended
        inode.modified = attributes.modified
        inode.changed = disk.tick()
    }

    private func parent(
        of path: LocalPath, being expected: Fingerprint? = nil
    ) throws(LocalError) -> (Inode, String) {
        if path.isParked, path.names.count == 1 { return (disk.parking, path.names[0]) }
        guard let name = path.name, let directory = disk.find(path.parent), directory.isDirectory else {
            throw .gone
        }
        guard expected.map(directory.fingerprint.isSameInode) ?? true else { throw .changed }
        return (directory, name)
    }
}

internal import CloudSync

/// The apps and the person of one device, acting on its disk.
final class AppUser {
    let disk: Disk
    let ledger: Ledger
    let trace: Trace
    static let fileNames = ["a", "b", "c", "\u{E9}", "e\u{301}"]
    static let directoryNames = ["d", "e"]

    let names: [String]

    init(_ disk: Disk, trace: Trace, names: [String] = fileNames) {
        self.names = names
        self.disk = disk
        disk.trace = trace
        ledger = disk.ledger
        self.trace = trace
    }

    func act(_ verb: UserVerb, _ number: UInt64) {
        var random = WorldRandom(seed: number)
        trace.note(
            "app", UInt64(disk.device), UInt64(verb.rawValue), number,
            line: "device \(disk.device) \(verb)")
        switch verb {
        case .create, .editInPlace, .saveAtomically, .writeInTwoHalves, .holdOpen, .writeMapped, .fsync,
            .sameContent, .createLarge, .reuseNumber, .createCommon, .editCommon, .saveWithBackup,
            .writeDatabase, .saveAndRename:
            write(verb, &random)
        case .delete, .deleteTree, .rename, .renameOver, .exchange, .makeDirectory, .removeDirectory,
            .moveDirectory, .hardLink, .symlink, .makeNest, .makePair,
            .turnOver:
            rename(verb, &random)
        case .flag, .unflag, .writeThenFlag, .moveOut, .moveIn, .renameOutOfCloud, .changeMode,
            .changeExtended, .writeManyThenFlag:
            mark(verb, &random)
        }
    }

    // MARK: Choosing

    func slots(where fits: (Inode) -> Bool) -> [Disk.Slot] {
        var found: [Disk.Slot] = []
        disk.walk(disk.root, LocalPath()) { path, inode in
            if fits(inode), let slot = disk.slot(path) { found.append(slot) }
        }
        return found
    }

    func anyFile(_ random: inout WorldRandom) -> Disk.Slot? { random.pick(slots { $0.isFile }) }
    func anyDirectory(_ random: inout WorldRandom) -> Disk.Slot? { random.pick(slots { $0.isDirectory }) }

    /// A place for a new item: Documents itself as often as all directories together.
    func anyPlace(_ names: [String], _ random: inout WorldRandom) -> Disk.Slot? {
        var parent = LocalPath()
        if random.chance(perMille: 500), let directory = anyDirectory(&random),
            directory.path.names.count < 3
        {
            parent = directory.path
        }
        return random.pick(names).flatMap { disk.slot(parent.appending($0)) }
    }

    func size(_ random: inout WorldRandom) -> Int { 24 + random.below(40) }

    func close(_ inode: Inode, _ random: inout WorldRandom) {
        if random.chance(perMille: 700) { disk.fsync(inode) }
    }

    /// A handle that is open for a while; what follows comes through it, whatever became of the name.
    func keepOpen(_ inode: Inode, _ random: inout WorldRandom, then write: @escaping () -> Void) {
        disk.willOpen(inode)
        if inode.writers == 0 { inode.openedAt = disk.timeline.now }
        inode.writers += 1
        let second: UInt64 = 1_000_000_000
        let period = random.chance(perMille: 200) ? 20 * second..<90 * second : second / 20..<8 * second
        let fsyncs = random.chance(perMille: 700)
        let (disk, epoch) = (disk, disk.handleEpoch)
        disk.timeline.schedule(in: random.nanoseconds(in: period)) {
            guard disk.handleEpoch == epoch else { return }
            write()
            if fsyncs { disk.fsync(inode) }
            inode.writers -= 1
            for path in disk.paths(of: inode) { disk.note(path) }
            if inode.links > 0 { disk.didChange() }
        }
    }
}

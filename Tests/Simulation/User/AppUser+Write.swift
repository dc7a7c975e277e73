internal import CloudSync

extension AppUser {
    func write(_ verb: UserVerb, _ random: inout WorldRandom) {
        switch verb {
        case .create: create(size: size(&random), &random)
        case .createLarge: create(size: 65 + random.below(6000), &random)
        case .sameContent:
            let common = Token.common
            create(token: Token(number: common.lowerBound + UInt64(random.below(common.count))), &random)
        case .createCommon: createCommon(&random)
        case .editCommon:
            guard let inode = anyFile(&random)?.inode else { return }
            // Never twice on one disk: what comes back is as if nothing had been done.
            disk.editedInCommon += 1
            disk.write(inode, Token(number: Token.common.upperBound + disk.editedInCommon), size: 32)
        case .saveWithBackup: if let slot = anyFile(&random) { saveWithBackup(slot, &random) }
        case .saveAndRename: saveAndRename(&random)
        case .writeDatabase: writeDatabase(&random)
        case .editInPlace:
            guard let inode = anyFile(&random)?.inode else { return }
            disk.write(inode, ledger.makeToken(), size: size(&random))
            close(inode, &random)
        case .saveAtomically: if let slot = anyFile(&random) { saveAtomically(slot, &random) }
        case .writeInTwoHalves, .holdOpen, .writeMapped: writeSlowly(verb, &random)
        case .reuseNumber:
            guard let slot = anyFile(&random), let place = anyPlace(names, &random) else { return }
            disk.unlink(slot)
            guard let inode = disk.create(.file, at: place) else { return }
            disk.write(inode, ledger.makeToken(), size: size(&random))
            close(inode, &random)
        default: if let inode = anyFile(&random)?.inode { disk.fsync(inode) }
        }
    }

    /// The same content under a name that nothing has.
    private func createCommon(_ random: inout WorldRandom) {
        let name = "common-\(ledger.makeToken().number)"
        guard let place = disk.slot(LocalPath([name])), let inode = disk.create(.file, at: place)
        else { return }
        disk.write(inode, Token(number: Token.common.lowerBound), size: 32)
        disk.fsync(inode)
    }

    private func create(token: Token? = nil, size: Int = 24, _ random: inout WorldRandom) {
        guard let place = anyPlace(names, &random) else { return }
        guard let inode = disk.create(.file, at: place) else { return }
        disk.write(inode, token ?? ledger.makeToken(), size: size)
        close(inode, &random)
    }

    /// An app that writes to its database goes by the log; what ends it decides whether the log stays.
    private func writeDatabase(_ random: inout WorldRandom) {
        let path = LocalPath(["s.db"])
        guard let place = disk.slot(path), let beside = disk.slot(LocalPath(["s.db" + Disk.logSuffix]))
        else { return }
        guard let main = place.inode else {
            guard let made = disk.create(.file, at: place) else { return }
            return disk.write(made, ledger.makeToken(), size: size(&random))
        }
        if beside.inode == nil { disk.replaced(main) }
        guard let log = beside.inode ?? disk.create(.file, at: beside) else { return }
        disk.write(log, ledger.makeToken(), size: size(&random))
        disk.fsync(log)
        let (disk, closes) = (disk, random.chance(perMille: 500))
        keepOpen(main, &random) {
            if closes, disk.find(path) === main { disk.checkIn(main, at: path) }
        }
    }

    /// A temporary file, fsynced or not, renamed over the old one; or vim's dance: the old one moved away
    /// first.
    private func saveAtomically(_ slot: Disk.Slot, _ random: inout WorldRandom) {
        let isVim = random.chance(perMille: 300)
        if isVim, let backup = disk.slot(slot.path.parent.appending("backup~")) {
            disk.rename(slot, to: backup)
            guard let inode = disk.create(.file, at: slot) else { return }
            disk.write(inode, ledger.makeToken(), size: size(&random))
            close(inode, &random)
            disk.unlink(backup)
        } else if let aside = disk.slot(slot.path.parent.appending("save.tmp")) {
            guard let inode = disk.create(.file, at: aside) else { return }
            disk.write(inode, ledger.makeToken(), size: size(&random))
            close(inode, &random)
            disk.rename(aside, to: slot)
        }
    }

    /// Under a name that nothing ever had; or two, one after the other.
    private func saveAndRename(_ random: inout WorldRandom) {
        guard var slot = anyFile(&random) else { return }
        saveAtomically(slot, &random)
        for _ in 0...random.below(2) {
            let name = "renamed-\(ledger.makeToken().number)"
            guard let place = disk.slot(slot.path.parent.appending(name)) else { return }
            disk.rename(slot, to: place)
            slot = place
        }
    }

    /// The old one stays, under the name of a backup.
    private func saveWithBackup(_ slot: Disk.Slot, _ random: inout WorldRandom) {
        // Before the other's in the order of names: whichever is looked at first.
        guard !slot.name.hasPrefix("#"), let backup = disk.slot(slot.path.parent.appending("#" + slot.name))
        else { return }
        disk.rename(slot, to: backup)
        guard let inode = disk.create(.file, at: slot) else { return }
        disk.write(inode, ledger.makeToken(), size: size(&random))
        close(inode, &random)
    }

    private func writeSlowly(_ verb: UserVerb, _ random: inout WorldRandom) {
        guard let slot = anyFile(&random), let inode = slot.inode else { return }
        let (token, size) = (ledger.makeToken(), size(&random))
        if verb == .writeInTwoHalves { disk.writeHalf(inode, token, size: size) }
        let disk = disk
        keepOpen(inode, &random) { disk.write(inode, token, size: size) }
    }
}

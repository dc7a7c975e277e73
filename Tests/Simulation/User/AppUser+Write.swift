internal import CloudSync

extension AppUser {
    func write(_ verb: UserVerb, _ random: inout WorldRandom) {
        switch verb {
        case .create: create(size: size(&random), &random)
        case .createLarge: create(size: 65 + random.below(6000), &random)
        case .sameContent:
            let common = Self.commonTokens
            create(token: Token(number: common.lowerBound + UInt64(random.below(common.count))), &random)
        case .editInPlace:
            guard let inode = anyFile(&random)?.inode else { return }
            disk.write(inode, ledger.makeToken(), size: size(&random))
            close(inode, &random)
        case .saveAtomically: if let slot = anyFile(&random) { saveAtomically(slot, &random) }
        case .writeInTwoHalves, .holdOpen, .writeMapped: writeSlowly(verb, &random)
        case .reuseNumber:
            guard let slot = anyFile(&random), let place = anyPlace(Self.fileNames, &random) else { return }
            disk.unlink(slot)
            guard let inode = disk.create(.file, at: place) else { return }
            disk.write(inode, ledger.makeToken(), size: size(&random))
            close(inode, &random)
        default: if let inode = anyFile(&random)?.inode { disk.fsync(inode) }
        }
    }

    private func create(token: Token? = nil, size: Int = 24, _ random: inout WorldRandom) {
        guard let place = anyPlace(Self.fileNames, &random) else { return }
        guard let inode = disk.create(.file, at: place) else { return }
        disk.write(inode, token ?? ledger.makeToken(), size: size)
        close(inode, &random)
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

    private func writeSlowly(_ verb: UserVerb, _ random: inout WorldRandom) {
        guard let slot = anyFile(&random), let inode = slot.inode else { return }
        let (token, size) = (ledger.makeToken(), size(&random))
        if verb == .writeInTwoHalves { disk.writeHalf(inode, token, size: size) }
        let disk = disk
        keepOpen(inode, &random) { disk.write(inode, token, size: size) }
    }
}

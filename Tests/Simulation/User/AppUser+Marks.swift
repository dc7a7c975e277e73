internal import CloudSync
internal import SyncLog

/// Flags, names and places that take an item out of the cloud, and attributes.
extension AppUser {
    func mark(_ verb: UserVerb, _ random: inout WorldRandom) {
        switch verb {
        case .flag: if let slot = random.pick(slots { !$0.isFlagged }) { disk.setFlag(slot, true) }
        case .unflag: if let slot = random.pick(slots { $0.isFlagged }) { disk.setFlag(slot, false) }
        case .writeThenFlag: writeThenFlag(&random)
        case .writeManyThenFlag: writeManyThenFlag(&random)
        case .moveOut:
            let name = "out-\(ledger.makeToken().number)"
            if let slot = random.pick(slots { _ in true }) { disk.carry(slot, to: disk.outsideSlot(name)) }
        case .moveIn:
            guard let name = random.pick(disk.outside.entries.keys.sorted()) else { return }
            let from = disk.outsideSlot(name)
            let names = from.inode?.isDirectory == true ? Self.directoryNames : names
            if let place = anyPlace(names, &random) { disk.carry(from, to: place) }
        case .renameOutOfCloud:
            guard let slot = anyFile(&random) else { return }
            guard let place = disk.slot(slot.path.parent.appending("x.nosync")) else { return }
            if place.inode == nil { disk.rename(slot, to: place) }
        case .changeMode:
            guard let slot = random.pick(slots { $0.isFile || $0.isDirectory }) else { return }
            disk.change(slot) { $0.mode ^= 0o040 }
        default:
            guard let slot = anyFile(&random) else { return }
            let value = UInt8(random.below(256))
            disk.change(slot) {
                $0.extended = [ExtendedAttribute(name: "com.apple.note", value: [value])]
            }
        }
    }

    /// A directory of documents that are so many and so large that it is flagged while they go up, one after
    /// the other.
    private func writeManyThenFlag(_ random: inout WorldRandom) {
        let path = LocalPath(["large-\(ledger.makeToken().number)"])
        guard let place = disk.slot(path), let directory = disk.create(.directory, at: place) else { return }
        for name in 0..<5 {
            guard let place = disk.slot(path.appending("\(name)")),
                let inode = disk.create(.file, at: place)
            else { return }
            disk.write(inode, ledger.makeToken(), size: 2000 + random.below(8000))
        }
        flag(directory, in: random.nanoseconds(in: 1_000_000_000..<1_600_000_000))
    }

    /// Apple's own order: write, close, then flag, within a second. No byte may leave.
    private func writeThenFlag(_ random: inout WorldRandom) {
        guard let place = anyPlace(names, &random) else { return }
        guard let inode = disk.create(.file, at: place) else { return }
        disk.write(inode, ledger.makeToken(), size: size(&random))
        flag(inode, in: random.nanoseconds(in: 1_000_000..<950_000_000))
    }

    private func flag(_ inode: Inode, in delay: UInt64) {
        let (disk, epoch) = (disk, disk.handleEpoch)
        disk.timeline.schedule(in: delay) {
            guard disk.handleEpoch == epoch, let path = disk.paths(of: inode).first,
                let slot = disk.slot(path)
            else { return }
            disk.setFlag(slot, true)
        }
    }
}

internal import CloudStore
internal import CloudSync
internal import SyncLog

/// A content that a person put a backup's over.
struct Below {
    let token: Token
    let over: Token
}

/// An app's old backup comes in the place of its documents (SPEC 8).
extension World {
    /// In so many thousandths of all nothing is killed on the way.
    private static let whole = 900

    /// What only this device has of those that the backup replaces is kept by the product's own means.
    func restore(on device: Device, _ number: UInt64) {
        guard device.hiddenRoot == nil, device.disk.parking.entries.isEmpty else { return }
        // While a file is open the product refuses.
        guard device.disk.allFiles.allSatisfy({ $0.writers == 0 }) else { return }
        var random = WorldRandom(seed: number)
        end(device, .killed, away: Plan.second)
        // What came is half in place: the product refuses.
        guard (try? device.home.storage.read { try $0.intentions().isEmpty }) == true else { return }
        let (old, new) = (device.disk, device.disk.restored())
        let replaced = replaceSome(of: new, &random)
        let life = Life(device: device.index, number: 0)
        let (source, target) = (doorOf(old, life), doorOf(new, life))
        let randomness = DeviceRandomness(WorldRandom(seed: number, stream: 1))
        guard let copies = try? source.copyUnsent(to: target, device.home.storage, randomness) else { return }
        // Killed before the home came: what was noted is of no home.
        guard random.chance(perMille: Self.whole) else { return }
        trace.note("restore", UInt64(device.index), line: "device \(device.index) \(replaced)")
        old.discard()
        if random.chance(perMille: Self.whole) { try? copies.finish(device.home.storage) }
        device.home.disk = new
        attend(device.home, of: device)
        take(replaced, on: device, beside: copies.beside)
    }

    private func doorOf(_ disk: Disk, _ life: Life) -> DiskDoor {
        DiskDoor(disk, life: life, trace: trace, rules: rules)
    }

    private struct Replaced {
        let path: LocalPath
        let old: Token?
        let new: Token
    }

    /// What the backup has is not what there is.
    private func replaceSome(of disk: Disk, _ random: inout WorldRandom) -> [Replaced] {
        var replaced: [Replaced] = []
        var files: [(LocalPath, Inode)] = []
        disk.walk(disk.root, LocalPath()) { path, inode in
            if inode.isFile, inode.away == nil, !disk.isExcluded(path) { files.append((path, inode)) }
        }
        for (path, inode) in files where random.chance(perMille: 600) {
            let token = ledger.makeToken()
            replaced.append(Replaced(path: path, old: Token(whole: inode.bytes), new: token))
            inode.bytes = token.bytes(size: 24 + random.below(40))
            inode.modified = disk.tick()
            disk.syncBytes(of: inode)
        }
        return replaced
    }

    /// What was promised when the command returned.
    private func take(_ replaced: [Replaced], on device: Device, beside: [LocalPath]) {
        let disk = device.disk
        let staged = Set(disk.staging.values.compactMap { Token(whole: $0.bytes) })
        let kept = Set(beside.compactMap { disk.find($0) }.compactMap { Token(whole: $0.bytes) })
        for file in replaced {
            if let old = file.old, !kept.contains(old) { ledger.supersede(old, on: device.index) }
            guard let inode = disk.find(file.path) else { continue }
            if let old = file.old, staged.contains(old) {
                below.append(Below(token: old, over: file.new))
            }
            ledger.acknowledge(
                file.new, inode.bytes, device: device.index, path: "\(file.path.names)", time: timeline.now)
        }
    }

    /// SPEC 8: it was told, and what came over it is an edit of it.
    func checkBelow() {
        for item in below where ledger.entries[item.token]?.isForgiven == false {
            guard let hash = ledger.hash(of: item.token), truth.committed.contains(hash) else {
                fail("SPEC 8: content \(item.token.number) lay below a backup's, and nobody was told")
                return
            }
            let pair = [hash, ledger.hash(of: item.over)]
            // What was renamed or removed before it was told is told as another document.
            let isBeside = truth.nodes.contains { node in
                guard node.aliases.isEmpty else { return false }
                let contents = node.contents.map(\.content.hash)
                return pair.allSatisfy(contents.contains)
            }
            if isBeside { fail("SPEC 8: content \(item.token.number) is a conflict with the backup's") }
        }
    }
}

extension Content {
    fileprivate var hash: ContentHash? { if case .file(let file) = self { file.hash } else { nil } }
}

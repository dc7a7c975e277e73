internal import CloudSync

extension AppUser {
    func rename(_ verb: UserVerb, _ random: inout WorldRandom) {
        switch verb {
        case .delete: if let slot = anyFile(&random) { disk.unlink(slot) }
        case .deleteTree: if let slot = anyDirectory(&random) { disk.removeTree(slot) }
        case .removeDirectory:
            let empty = slots { $0.isDirectory && $0.entries.isEmpty }
            if let slot = random.pick(empty) { disk.removeTree(slot) }
        case .makeDirectory:
            if let place = anyPlace(Self.directoryNames, &random) { _ = disk.create(.directory, at: place) }
        case .makeNest, .makePair:
            let outer = LocalPath(["d"])
            let other = verb == .makeNest ? outer.appending("e") : LocalPath(["e"])
            for path in [outer, other] { _ = disk.slot(path).map { disk.create(.directory, at: $0) } }
        case .turnOver:
            guard let inner = disk.slot(LocalPath(["d", "e"])), let top = disk.slot(LocalPath(["e"])),
                let outer = disk.slot(LocalPath(["d"]))
            else { return }
            disk.rename(inner, to: top)
            if let below = disk.slot(LocalPath(["e", "d"])) { disk.rename(outer, to: below) }
        case .symlink:
            guard let place = anyPlace(["l"], &random) else { return }
            _ = disk.create(.symlink(Array("target-\(random.below(3))".utf8)), at: place)
        default: moveSomething(verb, &random)
        }
    }

    private func moveSomething(_ verb: UserVerb, _ random: inout WorldRandom) {
        switch verb {
        case .rename:
            guard let slot = anyFile(&random), let place = anyPlace(names, &random) else { return }
            if place.inode == nil { disk.rename(slot, to: place) }
        case .renameOver:
            if let slot = anyFile(&random), let target = anyFile(&random) { disk.rename(slot, to: target) }
        case .moveDirectory:
            guard let slot = anyDirectory(&random), let place = anyPlace(Self.directoryNames, &random)
            else { return }
            disk.rename(slot, to: place)
        case .exchange:
            guard let first = random.pick(slots { _ in true }), let second = random.pick(slots { _ in true })
            else { return }
            disk.exchange(first, second)
        default:
            if let slot = anyFile(&random), let place = anyPlace(names, &random) {
                disk.link(slot, to: place)
            }
        }
    }
}

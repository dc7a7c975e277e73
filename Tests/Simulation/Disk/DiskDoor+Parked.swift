internal import CloudSync
internal import SyncContent
internal import SyncLog

/// What sync parked comes back as the product's disk brings it back: at the start, whether anybody syncs or
/// not, and where a step failed.
extension DiskDoor {
    func bringBackParked() throws(LocalError) -> [BroughtBack] {
        guard rules.hold(.parkedComesBack) else { return [] }
        for name in disk.parking.entries.keys.sorted() {
            try begin("bringBackParked")
            guard let inode = disk.parking.entries[name] else { continue }
            let parked = String(name.dropFirst())
            guard let path = free(for: disk.ways[parked] ?? LocalPath([parked])), let newName = path.name,
                let directory = disk.find(path.parent)
            else { continue }
            disk.setWay(path, of: parked)
            disk.atOnce {
                disk.removeEntry(name, of: disk.parking)
                disk.insert(inode, newName, into: directory)
            }
            disk.syncNames()
            disk.note(path)
            note("back", "\(name) to \(path.names)", inode)
        }
        return disk.ways.filter { disk.parking.entries["/" + $0.key] == nil }.sorted { $0.key < $1.key }
            .map { BroughtBack(name: $0.key, path: $0.value) }
    }

    func forgetBroughtBack(_ item: BroughtBack) throws(LocalError) {
        try begin("forgetBroughtBack")
        disk.setWay(nil, of: item.name)
    }

    private func free(for old: LocalPath) -> LocalPath? {
        let isOpen =
            old.parent.names.isEmpty
            || disk.find(old.parent)?.isDirectory ?? false && !disk.isExcluded(old.parent)
        for directory in isOpen ? [old.parent, LocalPath()] : [LocalPath()] {
            for number in 0...100 {
                let path = directory.appending((old.name ?? "") + (number == 0 ? "" : " (cloud \(number))"))
                if disk.find(path) == nil { return path }
            }
        }
        return nil
    }
}

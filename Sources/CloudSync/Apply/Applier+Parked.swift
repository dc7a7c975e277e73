internal import SyncLog

/// What was parked and did not come to its place lies where it was, or beside that.
extension Applier {
    /// Its row follows, so that nobody takes it for a person's move.
    func takeBack(_ broughtBack: BroughtBack) throws {
        if let file = FileID(parkedName: broughtBack.name) {
            let item = try look(broughtBack.path)
            try storage.write { transaction in
                guard let row = try transaction.synced(file), LocalPath([row.name]).parkedName != nil,
                    let item, row.isItself(item), item.fingerprint.isSameInode(as: row.fingerprint)
                else { return }
                try takeBack(row, item, transaction)
            }
        }
        try disk.forgetBroughtBack(broughtBack)
    }

    /// Where a row of its own has the name, though nothing of that lies there, it goes beside it: a file of
    /// that name would be taken for an edit of the other. Where another directory came to lie there than it
    /// was in, it goes to the top: in that one it would be told as moved there.
    private func takeBack(_ row: SyncedItem, _ item: LocalItem, _ transaction: any SyncTransaction) throws {
        guard let name = item.path.name else { return }
        let own = try ownDirectory(at: item.path.parent, transaction)
        let directory = own == nil ? LocalPath() : item.path.parent
        let parent = own ?? .root
        var row = row
        row.parent = parent
        for free in [name] + String.numbersBeside.map(name.besideExcluded)
        where try transaction.synced(in: parent, named: free) == nil {
            let path = directory.appending(free)
            if path != item.path {
                guard try look(path) == nil else { continue }
                let moved = try disk.move(
                    item.path, to: path, in: transaction.synced(parent)?.fingerprint,
                    expecting: item.fingerprint)
                row.fingerprint = row.fingerprint(of: item, movedTo: moved)
            }
            row.name = free
            try transaction.setSynced(row)
            return try transaction.addPending([row.file])
        }
    }

    /// The synced directory that lies there; nil where it is another one.
    private func ownDirectory(at path: LocalPath, _ transaction: any SyncTransaction) throws -> FileID? {
        guard let directory = try transaction.directory(at: path), directory != .root else {
            return path.names.isEmpty ? .root : nil
        }
        guard let row = try transaction.synced(directory), let item = try look(path) else { return nil }
        return row.isItself(item) ? directory : nil
    }
}

extension FileID {
    fileprivate init?(parkedName: String) {
        guard let bits = UInt128(parkedName, radix: 16) else { return nil }
        self.init(bits: bits)
    }
}

extension SyncedStorage {
    /// The synced directory at a path, by the names of the synced tree.
    fileprivate func directory(at path: LocalPath) throws -> FileID? {
        var directory = FileID.root
        for name in path.names {
            guard let row = try synced(in: directory, named: name), row.isDirectory else { return nil }
            directory = row.file
        }
        return directory
    }
}

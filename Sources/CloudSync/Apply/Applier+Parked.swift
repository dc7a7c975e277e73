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
    /// that name would be taken for an edit of the other.
    private func takeBack(_ row: SyncedItem, _ item: LocalItem, _ transaction: any SyncTransaction) throws {
        guard let name = item.path.name, let parent = try transaction.directory(at: item.path.parent) else {
            return
        }
        var row = row
        row.parent = parent
        for free in [name] + (1...100).map(name.besideExcluded)
        where try transaction.synced(in: parent, named: free) == nil {
            let path = item.path.parent.appending(free)
            if free != name {
                guard try look(path) == nil else { continue }
                row.fingerprint = try disk.move(
                    item.path, to: path, in: transaction.synced(parent)?.fingerprint,
                    expecting: item.fingerprint)
            }
            row.name = free
            try transaction.setSynced(row)
            return try transaction.addPending([row.file])
        }
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

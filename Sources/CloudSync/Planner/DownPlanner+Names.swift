internal import SyncLog

/// Whether a name on this disk may be taken.
extension DownPlanner {
    /// The name that a live item gets here, unless who has it keeps it: see `resolveNames`.
    /// - Returns: nil where it has to wait for who has that name.
    func freeName(for node: Node) throws -> String? {
        guard let directory = try storage.localPath(of: node.parent) else { return node.name }
        guard try isItself(node.parent, at: directory) else {
            wait(node.id, directory)
            return nil
        }
        let path = directory.appending(node.name)
        if let owner = try storage.synced(in: node.parent, named: node.name), owner.file != node.id {
            // One that became this very item gives it its row first; where it has one, that goes.
            guard try storage.resolve(owner.file) != node.id || storage.synced(node.id) != nil else {
                try consider(owner.file)
                wait(node.id, nil)
                return nil
            }
            try consider(owner.file)
            takenFrom[node.id] = owner.file
            return node.name
        }
        guard let item = try look(path) else { return node.name }
        if try storage.synced(node.id).map({ try storage.localPath(of: $0.file) == path }) ?? false {
            return node.name
        }
        guard try isExcluded(item) else {
            wait(node.id, path)
            return nil
        }
        return try nameBeside(node, in: directory)
    }

    /// Who takes a name from an item that keeps it goes beside that. Only when all was considered is it known
    /// who does, for an item may be looked at while the one in its way is.
    func resolveNames() throws {
        try findStaying()
        let index = Dictionary(
            changes.indices.map { (changes[$0].file, $0) }, uniquingKeysWith: { first, _ in first })
        for (taker, owner) in takenFrom.sorted(by: { $0.key < $1.key }) {
            guard let action = atPlace[taker], let row = try storage.synced(owner), keepsItsName(row),
                let directory = try storage.localPath(of: action.node.parent)
            else { continue }
            takenFrom[taker] = nil
            guard let name = try nameBeside(action.node, in: directory) else {
                atPlace[taker] = nil
                continue
            }
            atPlace[taker]?.name = name
            if let index = index[taker] { changes[index].to = Slot(action.node.parent, name) }
        }
    }

    /// A directory that is to go stays with what stays in it.
    private func findStaying() throws {
        var waiting = staying.union(lingering) + atPlace.values.filter { $0.kind == .keepFlagged }.map(\.file)
        while let next = waiting.popLast() {
            guard let parent = try storage.synced(next)?.parent, emptied[parent] != nil,
                staying.insert(parent).inserted
            else { continue }
            waiting.append(parent)
        }
    }

    /// No other directory came to lie there: its names say nothing of this one's.
    private func isItself(_ directory: FileID, at path: LocalPath) throws -> Bool {
        guard rules.hold(.directoriesReceiveTheirOwn), !met.contains(directory),
            let synced = try storage.synced(directory), let item = try look(path)
        else { return true }
        if synced.isItself(item) { met.insert(directory) }
        return met.contains(directory)
    }

    /// What is left of a deleted directory, and what leaves the cloud and stays here, keep their names as all
    /// that is excluded does; and so does who lies beside one of those.
    private func keepsItsName(_ owner: SyncedItem) -> Bool {
        if lingering.contains(owner.file) || staying.contains(owner.file) { return true }
        guard let action = atPlace[owner.file] else { return owner.isBesideExcluded }
        return action.kind == .keepFlagged
    }

    private func isExcluded(_ item: LocalItem) throws -> Bool {
        if item.exclusion != nil { return true }
        for above in item.path.directoriesAbove where try look(above)?.exclusion != nil { return true }
        return false
    }

    /// `NAME (cloud).ext`, with a number where that is taken as well.
    private func nameBeside(_ node: Node, in directory: LocalPath) throws -> String? {
        for name in String.numbersBeside.map(node.name.besideExcluded) {
            let owner = try storage.synced(in: node.parent, named: name)
            if owner?.file == node.id { return name }
            if try owner == nil && look(directory.appending(name)) == nil { return name }
        }
        return nil
    }
}

extension String {
    static var numbersBeside: ClosedRange<Int> { 1...100 }

    func besideExcluded(_ number: Int) -> String { beside("cloud", number) }

    /// Whether this is a name that what is called `name` gets beside what is excluded.
    func isBesideExcluded(of name: String) -> Bool {
        String.numbersBeside.contains { name.besideExcluded($0) == self }
    }

    /// With a remark, and from the second one on a number, before its extension.
    func beside(_ why: String, _ number: Int) -> String {
        UsableName.marked(self, number == 1 ? " (\(why))" : " (\(why) \(number))")
    }
}

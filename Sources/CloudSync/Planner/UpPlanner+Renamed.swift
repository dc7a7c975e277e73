/// Third part, where renames were seen: [X] a document that was saved through a temporary file and then
/// renamed has neither a known path nor a known inode. Told as a delete and a new one it would lose its
/// conflict versions (SYNC.md 5 "Identity").
extension UpPlanner {
    func claimRenamed() throws {
        guard !trail.isEmpty, rules.hold(.renamesAreFollowed) else { return }
        for (file, path) in try followed().sorted(by: { $0.key < $1.key }) {
            guard claims[file] == nil, identities[path] == nil, let item = try look(path),
                item.kind == .file, !item.isDataless, item.exclusion != .kind,
                let owner = try storage.synced(file), owner.isKind(of: item), try !isHeld(owner, except: path)
            else { continue }
            // Only what is in `found` is told.
            found[path] = .some(item)
            claim(file, path)
        }
    }

    /// Where known items were last seen to go. The path decides first, at each step: what came under a name
    /// that an item had was that item from then on.
    private func followed() throws -> [FileID: LocalPath] {
        var places: [FileID: LocalPath] = [:]
        var holders: [LocalPath: FileID] = [:]
        for rename in trail.renames {
            // Something lay there, so a known path that was left before had a new file.
            guard let moved = try holders[rename.from] ?? owner(of: rename.from) else { continue }
            let there =
                try holders[rename.to] ?? owner(of: rename.to).flatMap { places[$0] == nil ? $0 : nil }
            holders[rename.from] = nil
            if let there, there != moved {
                places[moved] = nil
            } else {
                holders[rename.to] = moved
                places[moved] = rename.to
            }
        }
        return places
    }

    private func owner(of path: LocalPath) throws -> FileID? {
        try path.name.flatMap { try slotOwner(path, $0)?.file }
    }
}

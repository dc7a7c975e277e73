internal import SyncLog

/// Third part, where renames were seen: a document that was saved through a temporary file and then renamed
/// has neither a known path nor a known inode. Told as a delete and a new one it would lose its conflict
/// versions.
extension UpPlanner {
    func claimRenamed() throws {
        guard !trail.isEmpty, rules.hold(.renamesAreFollowed) else { return }
        for track in try tracks() {
            guard let path = track.path, claims[track.file] == nil, identities[path] == nil,
                let item = try look(path), item.kind == .file, !item.isDataless, item.exclusion != .kind,
                let owner = try storage.synced(track.file), owner.isKind(of: item),
                try !isHeld(owner, except: path), try !isTold(item, at: path)
            else { continue }
            // Only what is in `found` is told.
            found[path] = .some(item)
            claim(track.file, path)
        }
    }

    /// The path decided already in a plan before, of which this one is the rest.
    private func isTold(_ item: LocalItem, at path: LocalPath) throws -> Bool {
        guard let name = path.name else { return false }
        return try byPath(item, path, name) != nil
    }

    /// A file that was an item when it was renamed.
    private struct Track {
        let file: FileID
        /// Where it went; nil where it took another item's name, and is that one from then on.
        var path: LocalPath?
    }

    /// Of an item the oldest comes first: a backup that is still there keeps it, and one that is gone leaves
    /// it to what was written under the name in its place.
    private func tracks() throws -> [Track] {
        var tracks: [Track] = []
        var holders: [LocalPath: Int] = [:]
        // Whose a name was that something went away from.
        var former: [LocalPath: FileID] = [:]
        for rename in trail.renames {
            if holders[rename.from] == nil, let file = try former[rename.from] ?? owner(of: rename.from) {
                holders[rename.from] = tracks.count
                tracks.append(Track(file: file, path: rename.from))
            }
            // The path decides first, at each step: what comes under an item's name is that item.
            let isTaken =
                try holders[rename.to] != nil || former[rename.to] == nil && owner(of: rename.to) != nil
            guard let moved = holders.removeValue(forKey: rename.from) else { continue }
            former[rename.from] = tracks[moved].file
            tracks[moved].path = isTaken ? nil : rename.to
            if !isTaken { holders[rename.to] = moved }
        }
        return tracks
    }

    private func owner(of path: LocalPath) throws -> FileID? {
        try path.name.flatMap { try slotOwner(path, $0)?.file }
    }
}

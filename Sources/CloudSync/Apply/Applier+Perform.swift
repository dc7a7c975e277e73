internal import SyncContent
internal import SyncLog

/// What became of an action on the disk.
struct Outcome {
    enum Result {
        /// With the fingerprint of what lies there now, where something does.
        case done(Fingerprint?)
        /// A directory that is to go holds what never was in the cloud.
        case isNotEmpty
        case notDone
    }

    var prepared: Prepared
    var result: Result
}

extension Prepared {
    /// The file that it puts in place, as it is to be there. One that is still to be flagged is not whole.
    fileprivate var placed: (file: any StagedFile, attributes: Attributes)? {
        guard case .place = action.kind else { return nil }
        return staged.map { ($0, after.attributes) }
    }

    /// Where its action changed names, or a flag that the journal of these has.
    var directories: [LocalPath] {
        switch action.kind {
        case .place, .make, .remove, .keepFlagged, .keepUnnamed: [path.parent]
        case .move, .park: [path.parent, destination?.parent ?? path.parent]
        case .setAttributes, .agree, .forget, .rename: []
        }
    }
}

extension Applier {
    /// - Throws: `LocalError.ended` and `.full` alone.
    func perform(_ actions: [Prepared], _ applied: inout Applied) throws -> [Outcome] {
        disk.complete(actions.compactMap(\.placed))
        var outcomes: [Outcome] = []
        // Who did not leave its name, though it may not lie there any more.
        var kept: Set<LocalPath> = []
        for prepared in actions {
            do throws(LocalError) {
                let isNew = prepared.before == nil
                let result = isNew && kept.contains(prepared.path) ? .notDone : try perform(prepared)
                outcomes.append(Outcome(prepared: prepared, result: result))
            } catch .ended {
                throw LocalError.ended
            } catch {
                outcomes.append(Outcome(prepared: prepared, result: .notDone))
                applied.unseen.insert(prepared.path)
                if let destination = prepared.destination { applied.unseen.insert(destination.parent) }
                kept.insert(prepared.path)
                if error == .full {
                    try finish(outcomes, &applied)
                    throw error
                }
            }
        }
        return outcomes
    }

    private func perform(_ prepared: Prepared) throws(LocalError) -> Outcome.Result {
        let path = prepared.path
        switch prepared.action.kind {
        case .place:
            guard let staged = prepared.staged else { return .notDone }
            return .done(
                try disk.place(
                    staged, at: path, in: prepared.directory, attributes: prepared.after.attributes,
                    displacing: prepared.before?.fingerprint))
        case .make(let content): return try make(content, prepared)
        case .move, .park:
            let parks = prepared.destination?.parkedName != nil
            let result = try disk.moving(parks: parks) { () throws(LocalError) in try move(prepared) }
            guard let result else { throw .changed }
            return result
        case .remove: return try remove(prepared)
        case .setAttributes:
            guard let item = try look(prepared) else { return .notDone }
            return .done(
                try disk.setAttributes(path, prepared.after.attributes, expecting: item.fingerprint))
        case .keepFlagged:
            if let before = prepared.before, before.isDirectory, let item = try disk.look(at: path),
                !before.isItself(item)
            {
                throw .changed
            }
            try disk.setFlag(at: path)
            return .done(nil)
        case .keepUnnamed:
            guard let staged = prepared.staged else { return .notDone }
            // Before anybody can see it: it must never look like a new document.
            try staged.setFlag()
            _ = try disk.place(
                staged, at: path, in: nil, attributes: prepared.after.attributes, displacing: nil)
            return .done(nil)
        case .agree, .forget, .rename: return .done(nil)
        }
    }

    /// What lies there, where it is what was synced: of directories and symlinks, whose times tell nothing,
    /// by what travels.
    private func look(_ prepared: Prepared) throws(LocalError) -> LocalItem? {
        guard let before = prepared.before, let item = try disk.look(at: prepared.path) else {
            throw .changed
        }
        switch item.kind {
        case .file where before.kind == .file && item.fingerprint == before.fingerprint: return item
        case .directory where before.isItself(item): return item
        case .symlink where before.kind == item.kind: return item
        default: throw .changed
        }
    }

    private func make(_ content: SmallContent, _ prepared: Prepared) throws(LocalError) -> Outcome.Result {
        if prepared.before != nil {
            guard let item = try look(prepared) else { return .notDone }
            try disk.remove(
                prepared.path, expecting: item.fingerprint, displacedAs: newStagingName())
        }
        return .done(
            try disk.make(
                content, at: prepared.path, in: prepared.directory, attributes: prepared.after.attributes))
    }

    private func move(_ prepared: Prepared) throws(LocalError) -> Outcome.Result {
        guard let before = prepared.before, let item = try disk.look(at: prepared.path),
            before.isItself(item)
        else { throw .changed }
        guard let destination = prepared.destination else { return .notDone }
        if try isLeaving(prepared) { throw .changed }
        let fingerprint = try disk.move(
            prepared.path, to: destination, in: prepared.directory, expecting: item.fingerprint)
        // The flag may have come between that look and the move.
        if try isLeaving(prepared) {
            try disk.move(destination, to: prepared.path, in: nil, expecting: fingerprint)
            throw .changed
        }
        return .done(before.fingerprint(of: item, movedTo: fingerprint))
    }

    /// A directory above was flagged here, and nobody was told yet. What was written in it since must not
    /// come to lie where it is sent: the item is taken out of the cloud first. Where others took the
    /// directory out meanwhile, this one stays in it and comes anew.
    private func isLeaving(_ prepared: Prepared) throws(LocalError) -> Bool {
        guard rules.hold(.movesWaitForFlags), !(prepared.before?.isDataless ?? true) else { return false }
        for above in prepared.above where try disk.look(at: above)?.exclusion == .flagged { return true }
        return false
    }

    private func remove(_ prepared: Prepared) throws(LocalError) -> Outcome.Result {
        guard let item = try look(prepared) else { return .notDone }
        do {
            try disk.remove(
                prepared.path, expecting: item.fingerprint,
                displacedAs: prepared.displacedName ?? newStagingName())
            return .done(nil)
        } catch .changed where item.kind == .directory {
            return .isNotEmpty
        }
    }
}

internal import SyncContent
internal import SyncLog

/// A draft with the bytes that were cut for it.
struct CutDraft: Sendable {
    var draft: Draft
    /// What held while the bytes were read.
    var fingerprint: Fingerprint?
    /// Nil where the draft needs no bytes.
    var cut: CutContent?
}

/// The files of a plan as they lie on the disk. What is read again may have changed meanwhile: then it is
/// worth nothing, and neither is what was read before.
struct DraftSource: UploadSource {
    let disk: any LocalDisk
    /// In the plan's order.
    let drafts: [CutDraft]
    let rules: SafetyRules

    func read(_ file: Int, _ range: Range<UInt64>) async throws(ContentError) -> [UInt8] {
        guard drafts.indices.contains(file) else { throw .changed }
        let draft = drafts[file]
        do throws(LocalError) {
            switch draft.draft.source {
            case .file:
                return try disk.read(
                    draft.draft.path, range, expecting: draft.fingerprint ?? draft.draft.fingerprint)
            case .displaced(let displaced):
                return try disk.readDisplaced(displaced, range)
            case .directory, .symlink, nil:
                throw .changed
            }
        } catch {
            throw .local(error)
        }
    }

    func confirm(_ files: Set<Int>) async throws(ContentError) {
        guard rules.hold(.flagsAreReadAgain) else { return }
        for file in files.sorted() {
            guard drafts.indices.contains(file) else { throw .changed }
            do throws(LocalError) {
                guard try disk.mayLeave(drafts[file], rules) else { throw .changed }
            } catch {
                throw error == .ended ? .local(.ended) : .changed
            }
        }
    }
}

extension LocalDisk {
    /// Whether what a draft read is still there, and neither it nor anything above it was excluded meanwhile.
    /// A draft without content only has to be allowed.
    func mayLeave(_ cut: CutDraft, _ rules: SafetyRules) throws(LocalError) -> Bool {
        switch cut.draft.source {
        case nil: return true
        case .displaced(let displaced):
            guard try isAllowed(cut.draft.path) else { return false }
            return try !isKeptBack(displaced, rules)
        case .file, .directory, .symlink:
            // Before it is looked at as well: a flagged directory above may change places with another.
            guard try isAllowed(cut.draft.path) else { return false }
            guard let item = try look(at: cut.draft.path), item.exclusion == nil else { return false }
            if let fingerprint = cut.fingerprint, !item.isDirectory {
                let isSame =
                    hasCopy(of: cut.draft.path, fingerprint)
                    ? item.fingerprint.isSameInode(as: fingerprint) : item.isStill(fingerprint)
                guard isSame else { return false }
            }
            return try isAllowed(cut.draft.path)
        }
    }

    /// What a draft read is excluded now: no byte of it may stay in the store.
    func mustStay(_ cut: CutDraft, _ rules: SafetyRules) throws(LocalError) -> Bool {
        switch cut.draft.source {
        case .file: if try look(at: cut.draft.path)?.exclusion != nil { return true }
        case .displaced(let displaced): if try isKeptBack(displaced, rules) { return true }
        case .directory, .symlink, nil: break
        }
        for above in cut.draft.path.directoriesAbove where try look(at: above)?.exclusion != nil {
            return true
        }
        return false
    }

    /// As `isKeptBack`, where that rule stands.
    func isKeptBack(_ displaced: Displaced, _ rules: SafetyRules) throws(LocalError) -> Bool {
        guard rules.hold(.flagsCoverDisplaced) else { return false }
        return try isKeptBack(displaced)
    }

    /// All directories above are there, and none of them is excluded.
    private func isAllowed(_ path: LocalPath) throws(LocalError) -> Bool {
        for above in path.directoriesAbove {
            guard let item = try look(at: above), item.exclusion == nil else { return false }
        }
        return true
    }

    /// A part of a displaced file, which nobody writes any more.
    fileprivate func readDisplaced(
        _ displaced: Displaced, _ range: Range<UInt64>
    ) throws(LocalError) -> [UInt8] {
        var window = ByteWindow(range)
        try readDisplaced(displaced) { run throws(LocalError) in window.append(run) }
        return try window.bytes()
    }
}

extension LocalItem {
    var isDirectory: Bool { kind == .directory }

    /// Whether it is as it was when `fingerprint` was read. A file that stays open is read without a time of
    /// change (`LocalDisk.read`): that it did not change since is what standing still for long means, which
    /// a look notes.
    fileprivate func isStill(_ fingerprint: Fingerprint) -> Bool {
        guard fingerprint.changed == 0 else { return self.fingerprint == fingerprint }
        return !isBeingWritten && self.fingerprint.isAsRead(fingerprint)
    }
}

package import SyncLog

/// What devices were told is safe, and who had the right to take it away again (SYNC.md 7, I3, I4, I7). Kept
/// from the operations alone, so that a fault of replay cannot excuse itself.
package struct ReplayLedger: Sendable {
    private struct Made {
        var file: FileID
        var content: Content
    }

    private var contents: [Revision: Made] = [:]
    /// What a resolve chose: its revision is one of that content's from then on.
    private var choices: [Revision: Made] = [:]
    private var directories: Set<FileID> = []
    /// An edit's base, and the edit.
    private var edits: [(base: Revision, edit: Revision)] = []
    /// Revisions that a delete, a resolve or a withdraw named.
    private var named: Set<Revision> = []
    /// Directories that the sender of a delete knew to be the one that it deletes.
    private var seenDirectories: Set<FileID> = []
    private var batches: Set<BatchID> = []
    /// What replay made one, kept after the tree has forgotten it.
    private var merged: [FileID: FileID] = [:]

    private struct BatchID: Hashable {
        var device: DeviceID
        var n: UInt64
    }

    package init() {}

    /// Notes a batch that is in the log. A twin of one says nothing new.
    package mutating func note(_ batch: Batch, seenDirectories seen: [FileID]) {
        guard batches.insert(BatchID(device: batch.device, n: batch.n)).inserted else { return }
        seenDirectories.formUnion(seen)
        for (index, operation) in batch.operations.enumerated() {
            note(operation, batch.revision(of: index))
        }
    }

    /// For ever, and in no direction: an item that was forgotten can come again and be merged the other way.
    package mutating func note(merged items: [FileID: FileID]) {
        for (file, target) in items {
            let (from, to) = (item(file), item(target))
            if from != to { merged[from] = to }
        }
    }

    private func item(_ file: FileID) -> FileID {
        var item = file
        while let next = merged[item] { item = next }
        return item
    }

    private mutating func note(_ operation: Operation, _ revision: Revision) {
        switch operation {
        case .create(let creation):
            if creation.content == .directory {
                directories.insert(creation.file)
            } else {
                contents[revision] = Made(file: creation.file, content: creation.content)
            }
        case .edit(let edit):
            contents[revision] = Made(file: edit.file, content: edit.content)
            edits.append((edit.base, revision))
        case .delete(let deletion): named.formUnion(deletion.contents)
        case .resolve(let resolution):
            named.formUnion(resolution.contents)
            choices[revision] = contents[resolution.keep] ?? choices[resolution.keep]
        case .withdraw(_, let contents): named.formUnion(contents)
        case .move, .setAttributes, .relocate, .endHistory, .require, .account, .keyValue, .unknown: break
        }
    }

    /// Holds a tree that has the whole log against what was promised.
    package func findings(in storage: any TreeStorage) throws -> [String] {
        var sets: [Revision: Set<Revision>] = [:]
        for node in try storage.nodes(after: nil, limit: .max) {
            for version in node.contents {
                let set = Set(version.revisions)
                for revision in set { sets[revision] = set }
            }
        }
        let replaced = Dictionary(grouping: edits, by: \.base)
        var findings: [String] = []
        for (revision, made) in contents where sets[revision] == nil && !named.contains(revision) {
            if isReplaced(revision, made, replaced) { continue }
            findings.append("\(revision) of \(made.file) is lost")
        }
        for (base, edit) in edits {
            guard let set = sets[base], !set.contains(edit),
                !set.contains(where: { isEarlier($0, than: edit) })
            else { continue }
            findings.append("\(edit) did not replace its base \(base)")
        }
        for directory in directories where !seenDirectories.contains(directory) {
            let node = try storage.item(directory)
            let isThere = node.map { $0.isLive || $0.state == .withdrawn } ?? false
            if !isThere { findings.append("directory \(directory) is gone and nobody deleted it") }
        }
        return findings
    }

    /// A content that its own batch had brought before.
    private func isEarlier(_ revision: Revision, than edit: Revision) -> Bool {
        contents[revision] != nil && revision.device == edit.device && revision.n == edit.n
            && revision.index < edit.index
    }

    /// An edit saw it: it was made on it, or on an equal content of the same item, with which it was one.
    private func isReplaced(
        _ revision: Revision, _ made: Made, _ replaced: [Revision: [(base: Revision, edit: Revision)]]
    ) -> Bool {
        if replaced[revision] != nil { return true }
        return edits.contains { edit in
            // Not by who made it equal to that himself, in another file of the item.
            guard !isEarlier(revision, than: edit.edit),
                let base = contents[edit.base] ?? choices[edit.base]
            else { return false }
            guard base.content.isEqual(to: made.content) else { return false }
            return item(base.file) == item(made.file)
        }
    }
}

extension Content {
    /// Equal bytes, wherever they lie.
    package func isEqual(to other: Content) -> Bool {
        if case .file(let file) = self, case .file(let otherFile) = other {
            return file.hash == otherFile.hash
        }
        return self == other
    }
}

internal import SyncLog

/// Files here that became one item in the cloud, until all but one are gone.
extension UpPlanner {
    /// An edit of one file replaces its content for the whole item, also where that of another file is its
    /// equal and joined it: each is told once more behind the edits, in the same batch, and stays a version
    /// where it is no more.
    func tellMergedAgain() throws {
        guard rules.hold(.mergedFilesAreToldAgain) else { return }
        var told: Set<FileID> = []
        for draft in plan.drafts where draft.isFileEdit {
            guard let node = try storage.item(draft.file), told.insert(node.id).inserted else { continue }
            let files = try mergedFiles(of: node)
            if files.count > 1 { try tellAgain(files) }
        }
    }

    private typealias MergedFile = (row: SyncedItem, item: LocalItem)

    /// All of them in one batch, or none: what is not told again may be the only one of its content.
    private func tellAgain(_ files: [MergedFile]) throws {
        let isOne = { (draft: Draft) in
            draft.isFileEdit && files.contains { $0.row.file == draft.file }
        }
        let edits = plan.drafts.filter(isOne)
        plan.drafts.removeAll(where: isOne)
        guard !files.contains(where: \.item.isBeingWritten) else {
            plan.retryLater.formUnion(edits.map(\.path))
            return
        }
        for (index, draft) in (edits + files.compactMap(again)).enumerated() {
            var draft = draft
            draft.isJoined = index > 0
            plan.drafts.append(draft)
        }
    }

    private func again(_ file: MergedFile) -> Draft? {
        guard let base = file.row.revision, let name = file.item.path.name else { return nil }
        return Draft(
            .edit(base: base, known: nil, agreed: file.row.attributes), file: file.row.file,
            path: file.item.path, parent: file.row.parent, name: name, attributes: file.item.attributes,
            fingerprint: file.item.fingerprint, source: .file)
    }

    /// Those whose bytes lie here and belong into the cloud.
    private func mergedFiles(of node: Node) throws -> [MergedFile] {
        guard !node.aliases.isEmpty else { return [] }
        return try ([node.id] + node.aliases).compactMap { file in
            guard let row = try storage.synced(file), row.kind == .file, let path = try whereabouts(of: row),
                let item = try look(path), row.isKind(of: item), !item.isDataless, try !isExcluded(item),
                identities[path] == nil || identities[path] == file
            else { return nil }
            return (row, item)
        }
    }

    private func whereabouts(of row: SyncedItem) throws -> LocalPath? {
        if let path = claims[row.file] { return path }
        return try currentPath(of: row.parent)?.appending(row.name)
    }

    /// What the removal of one of them takes from the item that the others still are.
    /// - Returns: nil where nothing else of it lies here; empty where it takes nothing.
    func namedBesideMerged(_ synced: SyncedItem, _ node: Node) throws -> [Revision]? {
        guard rules.hold(.mergedFilesAreToldAgain) else { return nil }
        let others = try mergedFiles(of: node).filter { $0.row.file != synced.file }
        if others.isEmpty { return nil }
        let own = others.contains { $0.row.hash == synced.hash }
        return own ? [] : try named(synced, node, withVersions: false)
    }
}

extension Draft {
    fileprivate var isFileEdit: Bool {
        if case .edit = kind { source == .file } else { false }
    }
}

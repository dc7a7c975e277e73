internal import SyncContent
internal import SyncLog

extension ContainerSync {
    /// Does what a person chose, by the whole log as the store has it now.
    /// - Parameter shown: revisions of the contents that the person was shown: no other one goes.
    func resolve(
        _ file: FileID, _ choice: ConflictChoice, shown: Set<Revision>
    ) async throws(SyncFailure) -> ConflictOutcome {
        await turn.take()
        defer { turn.give() }
        try await catchUp()
        try await tellDropped()
        let found = try storage.reading { tree in
            try tree.journal().flatMap {
                try ConflictResolution(file, choice, shown: shown, own: $0.device, in: tree)
            }
        }
        guard let found else { return .overtaken }
        let stored = try await rely(on: found.copies.map(\.version.content))
        let first = FileID(bits: surroundings.randomness.identifier())
        let ids = Array(sequence(first: first, next: \.next).prefix(found.copies.count))
        let told = found.operations(stored.contents, ids: ids)
        if let trouble = try await tell(told, unproven: ids, stored.checks) { return .waits(trouble) }
        let copies = found.copies.map(\.name)
        return try storage.reading { tree in
            guard let node = try tree.item(file), node.isLive,
                node.current?.revisions.contains(found.keep) ?? false
            else { return .lost(copies: copies) }
            return .resolved(copies: copies, versions: node.versions.count)
        }
    }
}

internal import SyncLog

extension ContainerSync {
    /// Deletes what the cloud has at a path below Documents, with all below it, as another device would: here
    /// it goes when the tree is brought to the disk, and what only this device has stays.
    /// - Returns: how many items were deleted; 0 where nothing is there.
    func remove(_ names: [String]) async throws(SyncFailure) -> Int {
        var count = 0
        try await commit { tree in
            guard let node = try tree.item(at: names) else { return [] }
            let deletions = try tree.deletions(of: node)
            count = deletions.count
            return deletions
        }
        return count
    }
}

extension TreeStorage {
    /// What is in a directory goes before it.
    fileprivate func deletions(of top: Node) throws -> [Operation] {
        var found = [top]
        // It grows while it is walked.
        var index = 0
        while index < found.count {
            if found[index].isDirectory {
                found += try children(of: found[index].id, after: nil, limit: .max).filter(\.isLive)
            }
            index += 1
        }
        return found.reversed().map { node in
            let contents = node.contents.flatMap(\.revisions).sorted()
            return .delete(Deletion(file: node.id, place: node.place, contents: contents))
        }
    }
}

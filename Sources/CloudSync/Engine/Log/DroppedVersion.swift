package import SyncLog

/// A revision of a conflict version that a person removed where it is shown beside its document. A version
/// counts as dropped where all revisions of its set are: who saved the same bytes since then has not seen
/// that.
package struct DroppedVersion: Hashable, Comparable, Sendable {
    package let file: FileID
    package let revision: Revision

    package init(file: FileID, revision: Revision) {
        self.file = file
        self.revision = revision
    }

    package static func < (left: DroppedVersion, right: DroppedVersion) -> Bool {
        (left.file, left.revision) < (right.file, right.revision)
    }
}

extension SyncTransaction {
    /// Notes that a person removed a version.
    /// - Parameter revisions: its set, as it was shown.
    package func drop(_ revisions: [Revision], of file: FileID) throws {
        for revision in revisions { try addDroppedVersion(DroppedVersion(file: file, revision: revision)) }
    }

    /// How many documents have dropped versions of which the log is still to be told.
    func documentsWithDropped() throws -> Int { Set(try droppedVersions().map(\.file)).count }

    /// Revisions that a person removed; what of them is a version is decided by `Version.isDropped`.
    package func droppedRevisions() throws -> Set<Revision> { Set(try droppedVersions().map(\.revision)) }

    /// Forgets those that no version has any more, and versions that became more than was seen.
    /// - Returns: what the log is to be told, in the order of the items.
    func settleDropped() throws -> [Operation] {
        let dropped = try droppedVersions()
        let revisions = Set(dropped.map(\.revision))
        var resolutions: [FileID: Resolution] = [:]
        for entry in dropped {
            guard let node = try item(entry.file), node.isConflict, let current = node.current,
                let version = node.versions.first(where: { $0.revisions.contains(entry.revision) }),
                version.isDropped(by: revisions)
            else {
                try removeDroppedVersion(entry)
                continue
            }
            let keep = current.revisions[0]
            resolutions[node.id, default: Resolution(file: node.id, keep: keep, contents: [])].contents
                .append(entry.revision)
        }
        return resolutions.keys.sorted().compactMap { file in
            resolutions[file].map {
                .resolve(Resolution(file: file, keep: $0.keep, contents: $0.contents.sorted()))
            }
        }
    }
}

extension Version {
    /// - Parameter dropped: revisions that a person removed.
    package func isDropped(by dropped: Set<Revision>) -> Bool { dropped.isSuperset(of: revisions) }
}

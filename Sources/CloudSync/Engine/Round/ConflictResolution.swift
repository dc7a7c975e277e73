package import SyncContent
package import SyncLog

/// What a person keeps of a document that has conflict versions.
package enum ConflictChoice: Equatable, Sendable {
    /// The current content; its versions go.
    case current
    /// One of its contents, by a revision of its set; the others go.
    case version(Revision)
    /// The current content; each version becomes a document beside it.
    case both
}

/// What came of it.
package enum ConflictOutcome: Equatable, Sendable {
    /// Of the contents that were shown only the choice is left there. `copies`: the documents beside it;
    /// `versions`: how many it has now, which came meanwhile.
    case resolved(copies: [String], versions: Int)
    /// Nothing was said: the choice, or the current content that was shown, is not there any more.
    case overtaken
    /// Another device was first while it was sent: the choice is not the current content. `copies` are there.
    case lost(copies: [String])
    /// It is journaled, and the store went away before it said that it has it: it counts once it has.
    case waits(SyncTrouble)
}

/// A choice as operations, by the tree.
struct ConflictResolution {
    let node: Node
    private let resolution: Resolution
    /// By a revision of its set.
    var keep: Revision { resolution.keep }
    /// Versions that become documents beside it, and their names.
    let copies: [(version: Version, name: String)]

    /// - Parameters:
    ///   - shown: revisions of the contents that the person was shown. What this device made since counts as
    ///     shown: it lies on the person's own disk.
    /// - Returns: nil where there is nothing to choose any more, or not that.
    init?(
        _ file: FileID, _ choice: ConflictChoice, shown: Set<Revision>, own device: DeviceID,
        in tree: any TreeStorage
    ) throws {
        guard let node = try tree.item(file), node.isConflict, let current = node.current else { return nil }
        let isShown = { (version: Version) in
            version.revisions.contains { shown.contains($0) || $0.device == device }
        }
        let versions = node.versions.filter(isShown)
        var keep = current.revisions[0]
        switch choice {
        case .current, .version:
            guard isShown(current) else { return nil }
            if case .version(let chosen) = choice { keep = chosen }
            copies = []
        case .both:
            guard !versions.isEmpty else { return nil }
            copies = try Self.named(versions, beside: node, in: tree)
        }
        guard node.contents.contains(where: { $0.revisions.contains(keep) }) else { return nil }
        let seen = (isShown(current) ? [current] : []) + versions
        self.node = node
        resolution = Resolution(file: node.id, keep: keep, contents: seen.flatMap(\.revisions).sorted())
    }

    /// In one commit: who reads it never sees a version that is in neither place.
    /// - Parameter contents: of the copies, where their bytes lie.
    func operations(_ contents: [Content], ids: [FileID]) -> [Operation] {
        let creations = copies.indices.map { index in
            Operation.create(
                Creation(
                    file: ids[index], parent: node.parent, name: copies[index].name,
                    content: contents[index], attributes: copies[index].version.attributes))
        }
        return creations + [.resolve(resolution)]
    }

    /// A name that other documents have with other bytes is passed by. With the same bytes it is taken: two
    /// devices that do this make one document.
    private static func named(
        _ versions: [Version], beside node: Node, in tree: any TreeStorage
    ) throws -> [(version: Version, name: String)] {
        var taken: Set<NormalizedName> = []
        return try versions.map { version in
            var number = 1
            while true {
                let name = version.conflictName(of: node.name, number)
                let other = try tree.item(in: node.parent, named: name)
                let isFree = other.map { $0.current?.isSame(as: version) ?? false } ?? true
                if isFree, taken.insert(NormalizedName(name)).inserted { return (version, name) }
                number += 1
            }
        }
    }
}

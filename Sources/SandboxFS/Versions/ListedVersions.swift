internal import FuseKit
internal import HomeTree
internal import Posix

/// Versions that were listed a short while ago. Where sync takes them meanwhile they can be looked up and
/// removed for that long: who removes a directory with all in it lists first, and what was listed and is
/// missing then is an error to rm.
final class ListedVersions: Sendable {
    private struct Listing {
        /// Of the directory's number.
        let generation: UInt64
        /// Who told of them.
        let source: ObjectIdentifier?
        var versions: [any ConflictVersion]
        let end: Deadline
    }

    private static let seconds = 60.0
    private let tree: HomeTree
    private let listings = Lock<[NodeKey: Listing]>([:], rank: .leaf)

    init(_ tree: HomeTree) { self.tree = tree }

    func note(_ versions: [any ConflictVersion], of directory: NodeKey) {
        let identities = Set(versions.map(\.identity))
        let older = self.versions(of: directory).filter { !identities.contains($0.identity) }
        let all = versions + older
        let new = Listing(
            generation: tree.generation(of: InodeNumber(directory)), source: tree.conflictSourceIdentity,
            versions: all, end: Deadline(seconds: Self.seconds))
        change { listings in
            listings = listings.filter { !$0.value.end.hasPassed }
            listings[directory] = all.isEmpty ? nil : new
        }
    }

    func versions(of directory: NodeKey) -> [any ConflictVersion] {
        guard let listing = listings.withLock({ $0[directory] }), !listing.end.hasPassed,
            listing.source == tree.conflictSourceIdentity,
            listing.generation == tree.generation(of: InodeNumber(directory))
        else { return [] }
        return listing.versions
    }

    /// It was removed.
    func forget(_ version: any ConflictVersion, of directory: NodeKey) {
        change { $0[directory]?.versions.removeAll { $0.identity == version.identity } }
    }

    private func change(_ body: (inout [NodeKey: Listing]) -> Void) {
        // What goes may take other locks with it: after this one.
        _ = listings.withLock { listings -> [NodeKey: Listing] in
            let before = listings
            body(&listings)
            return before
        }
    }
}

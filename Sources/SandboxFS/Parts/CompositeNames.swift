internal import FuseKit
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// What the view's own directories hold, by their paths: asked of the layout once for each of its revisions.
final class CompositeNames: Sendable {
    struct Directory {
        let entries: [CompositeEntry]
        private let policy: NamePolicy
        private let exact: [[UInt8]: Int]
        private let spellings: [NameKey: Int]

        init(_ entries: [CompositeEntry], _ policy: NamePolicy) {
            self.entries = entries
            self.policy = policy
            let numbered = entries.enumerated()
            exact = Dictionary(numbered.map { (Array($1.name.utf8), $0) }) { first, _ in first }
            spellings = Dictionary(numbered.map { (policy.key($1.name), $0) }) { first, _ in first }
        }

        /// The entry of that name, else the first of which it is another spelling.
        /// - Throws: ENOENT; EILSEQ and ENAMETOOLONG as in a home.
        func entry(_ name: FileName) throws(Errno) -> CompositeEntry {
            if let number = exact[Array(name.bytes)] { return entries[number] }
            try policy.check(name)
            guard let number = spellings[policy.key(name.bytes)] else { throw .noSuchFileOrDirectory }
            return entries[number]
        }
    }

    private struct Known {
        var revision: UInt64 = 0
        var directories: [String: Directory] = [:]
    }

    private let layout: any CompositeLayout
    private let known = Lock(Known(), rank: .leaf)

    init(_ layout: any CompositeLayout) { self.layout = layout }

    /// - Throws: as the layout does.
    func directory(_ path: String) throws(Errno) -> Directory {
        // Asked before the entries are: what changes in between is another revision.
        let revision = layout.revision
        let there = known.withLock { $0.revision == revision ? $0.directories[path] : nil }
        if let there { return there }
        let new = Directory(try layout.entries(of: path), try layout.names)
        known.withLock { known in
            if known.revision != revision { known = Known(revision: revision) }
            known.directories[path] = new
        }
        return new
    }
}

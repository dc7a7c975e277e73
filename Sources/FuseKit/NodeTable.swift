internal import CFuse
internal import Posix

/// How often the kernel was told of each node of one session: FUSE's lookup counts.
///
/// The kernel's number of a node is its key + 2; 1 is the root. Only the first telling keeps a reference
/// at the file system, and the FORGET that takes the last one back gives it up.
final class NodeTable: Sendable {
    private let root: NodeKey
    /// Leaf lock. Lookups by key.
    private let counts = Lock<[UInt64]>([], rank: .leaf)

    init(root: NodeKey) { self.root = root }

    func number(of node: NodeKey) -> fuse_ino_t { node == root ? 1 : fuse_ino_t(node.rawValue) + 2 }

    func node(_ number: fuse_ino_t) -> NodeKey {
        number == 1 ? root : NodeKey(rawValue: UInt32(truncatingIfNeeded: number &- 2))
    }

    /// Whether the kernel was told of a node, by this number.
    func isKnown(_ node: NodeKey, as number: fuse_ino_t) -> Bool {
        let index = Int(node.rawValue)
        return number == 1
            || number == self.number(of: node) && counts.withLock { index < $0.count && $0[index] > 0 }
    }

    /// Counts one telling. Returns true for the first, whose reference the session keeps.
    func count(_ node: NodeKey) -> Bool {
        counts.withLock { counts in
            let index = Int(node.rawValue)
            if index >= counts.count {
                counts.append(contentsOf: repeatElement(0, count: max(index + 1, 1024) - counts.count))
            }
            counts[index] += 1
            return counts[index] == 1
        }
    }

    /// Takes tellings back. Returns true for the last, whose reference the session must give back.
    func forget(_ node: NodeKey, _ tellings: UInt64) -> Bool {
        counts.withLock { counts in
            let index = Int(node.rawValue)
            guard index < counts.count, counts[index] > 0 else { return false }
            counts[index] -= min(tellings, counts[index])
            return counts[index] == 0
        }
    }

    /// Forgets everything; returns the nodes whose references the session must give back.
    func drain() -> [NodeKey] {
        counts.withLock { counts in
            defer { counts = [] }
            return counts.indices.filter { counts[$0] > 0 }.map { NodeKey(rawValue: UInt32($0)) }
        }
    }
}

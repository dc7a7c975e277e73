internal import CFuse
internal import Posix

/// How often the kernel was told of each node of one session: FUSE's lookup counts.
///
/// The kernel's number of a node is its key + 2; 1 is the root. Only the first telling keeps a reference
/// at the file system, and the FORGET that takes the last one back gives it up.
final class NodeTable: Sendable {
    private let root: NodeKey
    /// Leaf lock. Lookups by key.
    private let counts = Lock(Counts(), rank: .leaf)

    private struct Counts {
        var dense: [UInt64] = []
        /// Of the upper half of the numbers.
        var sparse: [UInt32: UInt64] = [:]

        static func isSparse(_ node: NodeKey) -> Bool { node.rawValue >= 1 << 31 }

        subscript(_ node: NodeKey) -> UInt64 {
            get {
                if Self.isSparse(node) { return sparse[node.rawValue] ?? 0 }
                let index = Int(node.rawValue)
                return index < dense.count ? dense[index] : 0
            }
            set {
                if Self.isSparse(node) {
                    sparse[node.rawValue] = newValue == 0 ? nil : newValue
                    return
                }
                let index = Int(node.rawValue)
                if index >= dense.count {
                    dense.append(contentsOf: repeatElement(0, count: max(index + 1, 1024) - dense.count))
                }
                dense[index] = newValue
            }
        }

        var known: [NodeKey] {
            let dense = dense.indices.filter { self.dense[$0] > 0 }.map { NodeKey(rawValue: UInt32($0)) }
            return dense + sparse.keys.map { NodeKey(rawValue: $0) }
        }
    }

    init(root: NodeKey) { self.root = root }

    func number(of node: NodeKey) -> fuse_ino_t { node == root ? 1 : fuse_ino_t(node.rawValue) + 2 }

    func node(_ number: fuse_ino_t) -> NodeKey {
        number == 1 ? root : NodeKey(rawValue: UInt32(truncatingIfNeeded: number &- 2))
    }

    /// Whether the kernel was told of a node, by this number.
    func isKnown(_ node: NodeKey, as number: fuse_ino_t) -> Bool {
        number == 1 || number == self.number(of: node) && counts.withLock { $0[node] > 0 }
    }

    /// Counts one telling. Returns true for the first, whose reference the session keeps.
    func count(_ node: NodeKey) -> Bool {
        counts.withLock { counts in
            counts[node] += 1
            return counts[node] == 1
        }
    }

    /// Takes tellings back. Returns true for the last, whose reference the session must give back.
    func forget(_ node: NodeKey, _ tellings: UInt64) -> Bool {
        counts.withLock { counts in
            let count = counts[node]
            guard count > 0 else { return false }
            counts[node] = count - min(tellings, count)
            return tellings >= count
        }
    }

    /// Forgets everything; returns the nodes whose references the session must give back.
    func drain() -> [NodeKey] {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts.known
        }
    }
}

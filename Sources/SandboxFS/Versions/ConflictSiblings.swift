internal import CLinux
internal import FuseKit
internal import HomeTree
internal import Posix

/// A conflict version that the kernel knows as a file beside its document.
struct ConflictSibling {
    let version: any ConflictVersion
    /// The directory of its document.
    let directory: NodeKey
    /// Whom its directory belongs to.
    let owner: Owner

    /// For reading alone.
    var status: stat {
        var status =
            switch version.content {
            case .symlink(let target):
                FileMode.status(
                    FileMode.symlink | 0o777, of: owner, at: version.modified, number: number,
                    sizeBytes: Int64(target.count))
            case .file(let sizeBytes):
                FileMode.status(
                    FileMode.regular | version.permissions & 0o444, of: owner, at: version.modified,
                    number: number, sizeBytes: Int64(clamping: sizeBytes))
            }
        status.st_blocks = UnbackedItem.blocks(ofBytes: UInt64(status.st_size))
        return status
    }

    /// An inode number that no backing file system has.
    private var number: UInt64 { CompositeFileSystem.number(of: version.identity) }
}

/// The nodes of conflict versions in one mount, in the upper half of the numbers: the lower one has inodes.
final class ConflictSiblings: Sendable {
    private struct Known {
        let sibling: ConflictSibling
        let key: Key
        var references: Int
    }

    private struct Key: Hashable {
        let directory: NodeKey
        let identity: String
    }

    private struct State {
        var known: [NodeKey: Known] = [:]
        var nodes: [Key: NodeKey] = [:]
        var last = UInt32.max

        mutating func nextNode() -> NodeKey {
            repeat {
                last = last == .max ? ConflictSiblings.first : last + 1
            } while known[NodeKey(rawValue: last)] != nil
            return NodeKey(rawValue: last)
        }
    }

    private static let first: UInt32 = 1 << 31
    private let state = Lock(State(), rank: .leaf)

    /// Whether the number is of this half.
    static func has(_ node: NodeKey) -> Bool { node.rawValue >= first }

    /// Counts one reference to a version's node.
    func add(_ sibling: ConflictSibling) -> NodeKey {
        let key = Key(directory: sibling.directory, identity: sibling.version.identity)
        return state.withLock { state in
            if let node = state.nodes[key] {
                state.known[node]?.references += 1
                return node
            }
            let node = state.nextNode()
            state.known[node] = Known(sibling: sibling, key: key, references: 1)
            state.nodes[key] = node
            return node
        }
    }

    /// Nil for a node of the tree, at the cost of a comparison.
    subscript(_ node: NodeKey) -> ConflictSibling? {
        Self.has(node) ? state.withLock { $0.known[node]?.sibling } : nil
    }

    func forget(_ node: NodeKey, count: Int) {
        // A version that goes takes other locks with it: after this one.
        _ = state.withLock { state -> Known? in
            guard let known = state.known[node] else { return nil }
            if known.references > count {
                state.known[node]?.references -= count
                return nil
            }
            state.nodes[known.key] = nil
            return state.known.removeValue(forKey: node)
        }
    }
}

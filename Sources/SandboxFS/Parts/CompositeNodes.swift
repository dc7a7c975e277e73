internal import FuseKit
internal import Posix
internal import SystemPackage

/// What the nodes of a composite view are. FuseKit counts nodes in an array by their numbers, and each part
/// numbers its own from 0: so the view has dense numbers of its own.
final class CompositeNodes: Sendable {
    enum Content {
        /// An item of the view's own, by its path; no part.
        case own(String, CompositeEntry.Kind)
        case item(CompositePart, NodeKey)
    }

    /// What makes two nodes the same.
    fileprivate enum Identity: Hashable {
        case own(String, CompositeEntry.Kind)
        case item(ObjectIdentifier, NodeKey)
    }

    fileprivate struct Record {
        let content: Content
        let identity: Identity
        var references: Int
    }

    /// A number that is given again is another node: the kernel tells them apart by the generation.
    fileprivate struct Slot {
        var record: Record?
        var generation: UInt64 = 0
    }

    fileprivate struct State {
        var slots: [Slot] = []
        var free: [UInt32] = []
        var numbers: [Identity: UInt32] = [:]
    }

    static let root = NodeKey(rawValue: 0)

    private let state = Lock(State(), rank: .leaf)

    init() { _ = add(.own("", .directory)) }

    /// Counts one reference to a node.
    func add(_ content: Content) -> (node: NodeKey, generation: UInt64) {
        state.withLock { $0.add(content, Self.identity(of: content)) }
    }

    /// The view's node of a part's item; nil where the kernel knows none and is not about to.
    func node(of item: NodeKey, in part: ObjectIdentifier) -> NodeKey? {
        state.withLock { $0.numbers[.item(part, item)] }.map { NodeKey(rawValue: $0) }
    }

    /// - Throws: ESTALE for a number that nothing has.
    func content(of node: NodeKey) throws(Errno) -> Content {
        let content = state.withLock { state in
            Int(node.rawValue) < state.slots.count ? state.slots[Int(node.rawValue)].record?.content : nil
        }
        guard let content else { throw .staleHandle }
        return content
    }

    /// Gives references back; the root keeps its first.
    /// - Returns: what the node was. The caller ends a part that nothing is left of, by dropping this.
    func forget(_ node: NodeKey, count: Int) -> Content? {
        state.withLock { $0.forget(node, count: count) }
    }

    private static func identity(of content: Content) -> Identity {
        switch content {
        case .own(let path, let kind): .own(path, kind)
        case .item(let part, let node): .item(ObjectIdentifier(part), node)
        }
    }
}

extension CompositeNodes.State {
    fileprivate mutating func add(
        _ content: CompositeNodes.Content, _ identity: CompositeNodes.Identity
    ) -> (node: NodeKey, generation: UInt64) {
        if let number = numbers[identity] {
            let index = Int(number)
            slots[index].record?.references += 1
            return (NodeKey(rawValue: number), slots[index].generation)
        }
        let number = free.popLast() ?? UInt32(slots.count)
        let index = Int(number)
        if index == slots.count { slots.append(CompositeNodes.Slot()) }
        slots[index].record = CompositeNodes.Record(content: content, identity: identity, references: 1)
        slots[index].generation += 1
        numbers[identity] = number
        return (NodeKey(rawValue: number), slots[index].generation)
    }

    fileprivate mutating func forget(_ node: NodeKey, count: Int) -> CompositeNodes.Content? {
        let index = Int(node.rawValue)
        guard index < slots.count, let record = slots[index].record else { return nil }
        let left = record.references - count
        if left > 0 {
            slots[index].record?.references = left
        } else {
            slots[index].record = nil
            numbers[record.identity] = nil
            free.append(node.rawValue)
        }
        return record.content
    }
}

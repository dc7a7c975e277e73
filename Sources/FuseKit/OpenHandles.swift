internal import Posix

/// What the kernel has open in one session. An aborted mount sends no RELEASE, so the session has to know.
final class OpenHandles: Sendable {
    struct Item: Hashable {
        let node: NodeKey
        let handle: HandleKey
        let isDirectory: Bool
    }

    /// Leaf lock.
    private let items = Lock<Set<Item>>([], rank: .leaf)

    func add(_ node: NodeKey, _ handle: HandleKey, isDirectory: Bool = false) {
        let item = Item(node: node, handle: handle, isDirectory: isDirectory)
        items.withLock { items in _ = items.insert(item) }
    }

    /// - Returns: whether it was there.
    func remove(_ node: NodeKey, _ handle: HandleKey, isDirectory: Bool = false) -> Bool {
        let item = Item(node: node, handle: handle, isDirectory: isDirectory)
        return items.withLock { $0.remove(item) != nil }
    }

    func has(_ node: NodeKey, _ handle: HandleKey, isDirectory: Bool) -> Bool {
        let item = Item(node: node, handle: handle, isDirectory: isDirectory)
        return items.withLock { $0.contains(item) }
    }

    /// Forgets everything; the session must give it back.
    func drain() -> Set<Item> {
        items.withLock { items in
            defer { items = [] }
            return items
        }
    }
}

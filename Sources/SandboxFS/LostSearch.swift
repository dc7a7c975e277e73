internal import HomeTree
internal import Posix
internal import Synchronization

/// The directories of a view that nobody may search any more, until its kernel, which does not check that,
/// has been told to look up anew what it remembers in them.
///
/// It is told after the answer to the chmod(2): before, it would wait for that. A walk that comes meanwhile
/// asks for the directory itself, which the kernel expires by itself, and is answered when the kernel knows.
public final class LostSearch: Sendable {
    private struct Directory {
        /// nil: a root, which nobody looks up.
        var own: (name: [UInt8], parent: InodeNumber)?
        /// How often it was lost: each is told by itself.
        var times = 0
        var waiting: [@Sendable () -> Void] = []

        mutating func takeWaiting() -> [@Sendable () -> Void] {
            defer { waiting = [] }
            return waiting
        }
    }

    private let directories = Lock<[InodeNumber: Directory]>([:], rank: .leaf)
    /// Spares look-ups the rest.
    private let count = Atomic<Int>(0)

    var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    /// The kernel is about to be told of the names in a directory.
    /// - Parameter own: what leads to it.
    func begin(_ directory: InodeNumber, own: (name: [UInt8], parent: InodeNumber)?) {
        let waiting = change { directories in
            directories[directory, default: Directory()].own = own
            directories[directory]?.times += 1
            // What is told of this directory waits for the look-ups in it, so they wait for nothing.
            return directories.keys.filter { directories[$0]?.own?.parent == directory }
                .flatMap { directories[$0]?.takeWaiting() ?? [] }
        }
        for later in waiting { later() }
    }

    /// The kernel has been told, once.
    func end(_ directory: InodeNumber) {
        let waiting = change { directories in
            directories[directory]?.times -= 1
            return directories[directory]?.times == 0
                ? directories.removeValue(forKey: directory)?.waiting ?? [] : []
        }
        for later in waiting { later() }
    }

    private func change(
        _ body: (inout [InodeNumber: Directory]) -> [@Sendable () -> Void]
    ) -> [@Sendable () -> Void] {
        directories.withLock { directories in
            defer { count.store(directories.count, ordering: .releasing) }
            return body(&directories)
        }
    }

    func contains(_ directory: InodeNumber) -> Bool {
        !isEmpty && directories.withLock { $0[directory] != nil }
    }

    /// Keeps `later` until the kernel knows, where the name is that of such a directory.
    /// - Returns: false where it is not.
    func delay(
        _ name: FileName, in parent: InodeNumber, until later: @escaping @Sendable () -> Void
    ) -> Bool {
        directories.withLock { directories in
            guard directories[parent] == nil,
                let found = directories.first(where: { directory in
                    directory.value.own.map { $0.parent == parent && $0.name.elementsEqual(name.bytes) }
                        ?? false
                })
            else { return false }
            directories[found.key]?.waiting.append(later)
            return true
        }
    }
}

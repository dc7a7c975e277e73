internal import HomeTree
internal import Posix
internal import Synchronization

/// The directories of a view that nobody may search any more, until its kernel, which does not check that, has
/// been told to look up anew what it remembers in them.
///
/// It is told after the answer to the chmod(2): before, it would wait for that. A walk that comes meanwhile asks
/// for the directory itself, which the kernel expires by itself, and waits there.
public final class LostSearch: Sendable {
    private struct Directory {
        let own: (name: [UInt8], parent: InodeNumber)?
        /// How often it was lost: each is told by itself.
        var times: Int
    }

    private struct State {
        var directories: [InodeNumber: Directory] = [:]
        var waiting = 0
    }

    private let state = Gate(State())
    /// Spares look-ups the rest.
    private let count = Atomic<Int>(0)
    /// So many threads wait at most: the others serve what the kernel may wait for.
    private static let mostWaiting = 3
    private static let longestWaitSeconds = 2.0

    /// - Parameter own: what leads to the directory; nil for a root.
    func begin(_ directory: InodeNumber, own: (name: [UInt8], parent: InodeNumber)?) {
        state.update { state in
            state.directories[directory] = Directory(
                own: own, times: (state.directories[directory]?.times ?? 0) + 1)
            count.store(state.directories.count, ordering: .releasing)
        }
    }

    /// The kernel has been told.
    func end(_ directory: InodeNumber) {
        state.update { state in
            state.directories[directory]?.times -= 1
            if state.directories[directory]?.times == 0 { state.directories[directory] = nil }
            count.store(state.directories.count, ordering: .releasing)
        }
    }

    private var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

    func contains(_ directory: InodeNumber) -> Bool {
        !isEmpty && state.update { $0.directories[directory] != nil }
    }

    /// Whether a look-up of the name has to wait.
    func delays(_ name: FileName, in parent: InodeNumber) -> Bool {
        !isEmpty && state.update { Self.delays(name, in: parent, $0) }
    }

    /// Waits as long as that is so. Not in a directory that is itself of these: what is told of it waits for the
    /// look-ups in it.
    func wait(for name: FileName, in parent: InodeNumber) {
        if isEmpty { return }
        let mayWait = state.update { state -> Bool in
            guard state.waiting < Self.mostWaiting, Self.delays(name, in: parent, state) else { return false }
            state.waiting += 1
            return true
        }
        guard mayWait else { return }
        _ = state.wait(timeoutSeconds: Self.longestWaitSeconds) { state in
            Self.delays(name, in: parent, state) ? nil : true
        }
        state.update { $0.waiting -= 1 }
    }

    private static func delays(_ name: FileName, in parent: InodeNumber, _ state: State) -> Bool {
        state.directories[parent] == nil
            && state.directories.values.contains { directory in
                directory.own.map { $0.parent == parent && $0.name.elementsEqual(name.bytes) } ?? false
            }
    }
}

internal import Posix
internal import Synchronization

/// What purges have taken from the apps, as long as this daemon lives: a program that looks for one of these
/// has counted on what a device may take at any time.
final class PurgedPaths: Sendable {
    /// So many are kept of a device, with so many bytes.
    static let most = 10_000
    private static let mostBytes = 2 << 20

    private struct State {
        /// By the app's identifier. As bytes: strings that only look the same are two names.
        var apps: [String: Set<[UInt8]>] = [:]
        var count = 0
        var bytes = 0
    }

    private let state = Lock(State(), rank: .leaf)
    /// `State.count`: threads that serve file operations ask at each look-up that finds nothing, and mostly
    /// nothing was taken.
    private let count = Atomic<Int>(0)

    /// How many there is room for.
    var room: Int { state.withLock { Self.most - $0.count } }

    /// - Parameter paths: from the home's top.
    func add(_ paths: [String], of app: String) {
        state.withLock { state in
            for path in paths where state.count < Self.most && state.bytes < Self.mostBytes {
                guard state.apps[app, default: []].insert(Array(path.utf8)).inserted else { continue }
                state.count += 1
                state.bytes += path.utf8.count
            }
            count.store(state.count, ordering: .relaxed)
        }
    }

    /// A program did not find something.
    /// - Parameter path: from the home's top; made only where something was taken from the app.
    /// - Returns: whether a purge took that. Once: what the app makes again and removes is its own affair.
    func take(_ path: () -> String, of app: String) -> Bool {
        if count.load(ordering: .relaxed) == 0 { return false }
        guard state.withLock({ $0.apps[app] != nil }) else { return false }
        let bytes = Array(path().utf8)
        return state.withLock { state in
            guard state.apps[app]?.remove(bytes) != nil else { return false }
            state.count -= 1
            state.bytes -= bytes.count
            if state.apps[app]?.isEmpty == true { state.apps[app] = nil }
            count.store(state.count, ordering: .relaxed)
            return true
        }
    }

    /// The app is gone, or what it was.
    func forget(_ app: String) {
        state.withLock { state in
            guard let paths = state.apps.removeValue(forKey: app) else { return }
            state.count -= paths.count
            state.bytes -= paths.reduce(0) { $0 + $1.count }
            count.store(state.count, ordering: .relaxed)
        }
    }
}

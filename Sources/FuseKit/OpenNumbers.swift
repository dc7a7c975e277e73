internal import Posix

/// What the kernel has open of one file system, by the number that it gives back.
package final class OpenNumbers<Value: Sendable>: Sendable {
    private struct State {
        var values: [HandleKey: Value] = [:]
        var next: UInt64 = 1
    }

    private let state = Lock(State(), rank: .leaf)

    package init() {}

    package func add(_ value: Value) -> HandleKey {
        state.withLock { state in
            let key = HandleKey(rawValue: state.next)
            state.next += 1
            state.values[key] = value
            return key
        }
    }

    package subscript(_ key: HandleKey) -> Value? {
        get { state.withLock { $0.values[key] } }
        set { state.withLock { $0.values[key] = newValue } }
    }

    package func remove(_ key: HandleKey) {
        // A value may close a descriptor when it ends, which is after the lock.
        _ = state.withLock { $0.values.removeValue(forKey: key) }
    }
}

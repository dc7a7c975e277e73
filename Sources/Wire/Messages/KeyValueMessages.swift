public import PropertyLists

/// What a client asks of an app's key-value store.
public struct KeyValueRequest: Codable, Equatable, Sendable {
    public enum Action: Codable, Equatable, Sendable {
        /// nil: all of them.
        case get(key: String?)
        /// One after the other, until one cannot be set.
        case set([KeyValueItem])
        case delete(key: String)
        /// Answered with `watching`, then with a `keyValueChange` for what others did, until the client goes.
        case watch
    }

    public var app: String
    public var action: Action

    public init(app: String, action: Action) {
        self.app = app
        self.action = action
    }
}

/// A key and its value.
public struct KeyValueItem: Codable, Equatable, Sendable {
    public var key: String
    public var value: PreferenceValue

    public init(key: String, value: PreferenceValue) {
        self.key = key
        self.value = value
    }
}

/// What others did to a key-value store.
public struct KeyValueChangeReport: Codable, Equatable, Sendable {
    /// iOS's: 0 the server, 1 the first sync, 2 more than the limits, 3 another account.
    public var reason: Int
    /// Sorted.
    public var keys: [String]

    public init(reason: Int, keys: [String]) {
        self.reason = reason
        self.keys = keys
    }
}

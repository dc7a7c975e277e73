public import PropertyLists

/// What a client asks of an app's preferences.
public struct PreferenceRequest: Codable, Equatable, Sendable {
    public enum Action: Codable, Equatable, Sendable {
        /// nil: all of them.
        case read(key: String?)
        case write(key: String, PreferenceValue)
        case delete(key: String)
    }

    public var app: String
    public var action: Action

    public init(app: String, action: Action) {
        self.app = app
        self.action = action
    }
}

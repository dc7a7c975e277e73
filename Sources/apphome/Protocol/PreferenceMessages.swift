internal import PropertyLists
internal import SandboxRules

/// What a client asks of an app's preferences.
struct PreferenceRequest: Codable, Equatable {
    enum Action: Codable, Equatable {
        /// nil: all of them.
        case read(key: String?)
        case write(key: String, PreferenceValue)
        case delete(key: String)
    }

    var app: String
    var action: Action
}

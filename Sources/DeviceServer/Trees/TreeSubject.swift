internal import Device
internal import SandboxRules

/// Whose container a tree is.
enum TreeSubject {
    case app(InstalledApp)
    case group(GroupContainer)

    /// As events and records name it.
    var identifier: String {
        switch self {
        case .app(let app): app.bundleID.value
        case .group(let group): group.group.value
        }
    }

    /// No app's identifier has a colon, so a group may be called as an app is.
    var key: String {
        switch self {
        case .app(let app): app.bundleID.value
        case .group(let group): Self.key(ofGroup: group.group.value)
        }
    }

    static func key(ofGroup group: String) -> String { "group:" + group }

    var name: String {
        switch self {
        case .app(let app): app.name
        case .group(let group): group.group.value
        }
    }
}

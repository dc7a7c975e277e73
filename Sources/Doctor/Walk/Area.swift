internal import SandboxRules

/// The part of a home that an item lies in, as far as a check cares.
public enum Area: Sendable {
    case home, documents, inbox, library, preferences, caches, temporary
    /// A group's container.
    case group

    /// Of what lies in a directory of this area.
    /// - Parameter isTop: the directory is the area's own.
    func area(ofChild name: String, isTop: Bool) -> Area {
        guard isTop else { return self }
        switch (self, name) {
        case (.home, "Documents"): return .documents
        case (.home, "Library"): return .library
        case (.home, "tmp"): return .temporary
        case (.documents, "Inbox"): return .inbox
        case (.library, "Caches"), (.group, "Caches"): return .caches
        case (.library, "Preferences"): return .preferences
        default: return self
        }
    }

    /// Whether the item of that name, in a directory of this area, is an area's own directory.
    func begins(atChild name: String, isTop: Bool) -> Bool {
        isTop && area(ofChild: name, isTop: true) != self
    }

    /// Whether people may be shown what lies there.
    var isDocuments: Bool { self == .documents || self == .inbox }
    /// Whether the system may delete what lies there.
    var isPurged: Bool { self == .caches || self == .temporary }
}

/// Which rule refuses what an app wants to do. The file system answers EPERM for each; the text goes into
/// the event.
public enum Refusal: UInt8, Sendable, CaseIterable {
    case bundleIsSigned
    case homeTopLevel
    case standardDirectory
    case inboxIsReadAndDelete
    case linkAcrossAreas
    case syncedPreferences
    case systemData
}

extension Refusal: CustomStringConvertible {
    /// The rule, in one line.
    public var description: String {
        switch self {
        case .bundleIsSigned:
            "the bundle is signed and read-only; copy the item to Documents or Library and change it there"
        case .homeTopLevel:
            "an app changes nothing at the top level of its home; use Documents, Library or tmp"
        case .standardDirectory:
            "the system makes the standard directories; an app neither makes, renames nor removes them"
        case .inboxIsReadAndDelete:
            "an app may only read and delete in Documents/Inbox; move the item out and change it there"
        case .linkAcrossAreas:
            "nothing in the bundle or Documents/Inbox has a hard link elsewhere; copy it"
        case .syncedPreferences:
            "the system writes Library/SyncedPreferences; an app sets keys of its key-value store instead"
        case .systemData:
            "this belongs to the system and not to the app"
        }
    }
}

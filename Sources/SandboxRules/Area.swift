/// The areas of a home: what purge, upgrade, backup and the report of sizes tell apart.
///
/// `home` is the home directory itself and what lies directly in it beside the standard directories.
public enum Area: UInt8, Sendable, CaseIterable {
    case bundle
    case home
    case documents
    case inbox
    case library
    case preferences
    case caches
    case temporary
    case systemData
    case group
}

internal import Foundation
internal import GRDB

/// One install or upgrade on its way from staging to its place: a row of the journal.
///
/// Written before the first rename and removed after the last step, so that whoever opens the device after a
/// crash knows what to undo or finish.
struct Publication: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "publication"

    enum Phase: String, Codable {
        /// Renames may have happened; the app's row is still the old one: undo.
        case publishing
        /// The app's row is the new one; its data may have what is not for it, and the old containers may
        /// still be there: finish.
        case committed
        /// Of the old app only the bundle is left, for as long as somebody has it open: finish.
        case handedOver
    }

    /// A group's container that this install brings.
    struct NewGroup: Codable {
        let identifier: String
        let container: UUID
    }

    let id: String
    var phase: Phase
    let bundleID: String
    let bundleContainer: UUID
    let dataContainer: UUID
    /// Of the app that was there: nil for a placeholder, or where there was none.
    let oldBundleContainer: UUID?
    /// The data that moves to the new container; nil where there was no app.
    let oldDataContainer: UUID?
    let newGroups: [NewGroup]
    /// Whether the old app's caches are not for the new one.
    let dropsCaches: Bool
    /// Containers of groups whose last owner was the old app; known with the commit.
    var orphans: [UUID] = []
}

extension Publication {
    /// The directories of the moved data whose content goes: nothing where none was moved.
    var emptied: [String] {
        if oldDataContainer == nil { return [] }
        return dropsCaches ? ["tmp", "Library/Caches"] : ["tmp"]
    }
}

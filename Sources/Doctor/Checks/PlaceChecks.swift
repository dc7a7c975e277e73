internal import Posix

/// Data that lies only where the system may delete it.
final class PurgeableCheck: FileCheck {
    /// By a hash of the name: of many files only a number each is kept.
    private var keptNames: Set<Int> = []
    private var candidates: [(path: String, name: String, what: String)] = []
    private static let mostCandidates = 10_000

    private static let documents: Set<String> = [
        "txt", "md", "rtf", "pdf", "doc", "docx", "odt", "pages", "xls", "xlsx", "ods", "numbers", "csv",
        "ppt", "pptx", "key",
    ]
    /// What URL loading keeps by itself, to be thrown away.
    private static let caches: Set<String> = ["cache.db"]

    func look(at file: WalkedFile, _ found: inout FindingList) {
        let item = file.item
        guard item.area.isPurged else {
            keptNames.insert(item.name.hashValue)
            return
        }
        guard candidates.count < Self.mostCandidates, !Self.caches.contains(item.name.lowercased()) else {
            return
        }
        if file.isDatabase {
            candidates.append((item.path, item.name, "a database"))
        } else if Self.documents.contains(item.name.lowercasedExtension), item.stamp.sizeBytes > 0 {
            candidates.append((item.path, item.name, "by its name a document"))
        }
    }

    func finish(_ found: inout FindingList) {
        for (path, name, what) in candidates where !keptNames.contains(name.hashValue) {
            found.add(.purgeable, path, "\(what), and no file of its name lies in Documents or Library")
        }
    }
}

/// What is in Library/Preferences and is no property list.
final class PreferencesCheck: FileCheck {
    func look(at file: WalkedFile, _ found: inout FindingList) {
        let item = file.item
        guard item.area == .preferences, item.stamp.sizeBytes > 0, !file.isPropertyList else { return }
        found.add(.preferencesFile, item.path, "no property list (XML or binary)")
    }
}

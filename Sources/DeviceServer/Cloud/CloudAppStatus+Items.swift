internal import CloudSync
internal import Device
internal import SyncContent
internal import Wire

extension CloudAppStatus {
    /// So many are named of each kind.
    private static let namedItems = 100

    /// Names what is not in the store, by a look at all documents.
    mutating func tellItems(of app: InstalledApp, _ status: SyncStatus, _ session: CloudSession) {
        waiting = status.waiting.map { item in
            CloudItemReason(path: item.path.text, reason: item.reason.rawValue, text: item.reason.text)
        }
        // What cannot be looked at now is known by the engine alone.
        guard let unsent = try? session.unsent(of: app, naming: Self.namedItems) else { return }
        let told = Set(waiting.map(\.path))
        let others = unsent.paths.map(\.text).filter { !told.contains($0) }.sorted()
        let (reason, text) = reasonOfAll(status)
        for path in others.prefix(max(0, Self.namedItems - waiting.count)) {
            waiting.append(CloudItemReason(path: path, reason: reason, text: text))
        }
        excluded = unsent.excluded.map { item in
            CloudItemReason(
                path: item.path.text, reason: item.exclusion.word, text: item.exclusion.text)
        }.sorted { $0.path < $1.path }
    }

    /// What an item waits for that nothing is known of by itself.
    private func reasonOfAll(_ status: SyncStatus) -> (String, String) {
        if let trouble = status.trouble, !trouble.isOfSomeItems { return (trouble.word, "\(trouble)") }
        if status.isPaused { return ("paused", "sync is paused: apphome cloud resume") }
        guard isWatched else { return ("not-mounted", "the app is not mounted") }
        return ("next", "it goes up next")
    }
}

extension SyncTrouble {
    /// Others go all the same.
    fileprivate var isOfSomeItems: Bool {
        switch self {
        case .overQuota, .deletesHeld, .storeFull: true
        default: false
        }
    }
}

extension LocalPath {
    fileprivate var text: String { names.joined(separator: "/") }
}

extension WaitingItem.Reason {
    fileprivate var text: String {
        switch self {
        case .quota: "the account's quota has no room for it (apphome cloud quota)"
        case .storeFull: "the store has no room for it"
        case .justChanged: "it changed just now"
        case .inUse: "it is open in a program, or cannot be looked at just now"
        case .changing: "it changed while it was read"
        case .unreadable: "it cannot be read: its owner closed it"
        case .tooLarge: "it is larger than sync can tell of: split it, or flag it (apphome skip-backup)"
        case .deletesHeld: "it is gone here, and nobody saw it go: sync with --confirm-deletes"
        }
    }
}

extension Exclusion {
    fileprivate var word: String {
        switch self {
        case .flagged: "flagged"
        case .name: "name"
        case .databaseCompanion: "database"
        case .kind: "kind"
        }
    }

    fileprivate var text: String {
        switch self {
        case .flagged: "it is flagged (apphome skip-backup)"
        case .name: "by its name"
        case .databaseCompanion: "it travels in its database"
        case .kind: "it is a socket, a pipe or a device"
        }
    }
}

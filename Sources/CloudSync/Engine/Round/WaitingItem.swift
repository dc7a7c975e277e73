internal import SyncContent
internal import SystemPackage

/// An item whose newest state is not in the store, and what it waits for.
package struct WaitingItem: Equatable, Sendable {
    /// One word, for programs.
    package enum Reason: String, Sendable {
        case quota
        case storeFull = "store-full"
        /// It may be flagged in the same moment.
        case justChanged = "just-changed"
        /// Somebody may write to it; a database, that its app has locked.
        case inUse = "in-use"
        /// It changed while it was read.
        case changing
        case unreadable
        /// Its chunks are too many for one operation.
        case tooLarge = "too-large"
        /// It is gone here, and nobody saw it go.
        case deletesHeld = "deletes-held"
    }

    package var path: LocalPath
    package var reason: Reason

    package init(path: LocalPath, reason: Reason) {
        (self.path, self.reason) = (path, reason)
    }
}

extension WaitingItem.Reason {
    /// Nil for what is no reason to wait.
    init?(_ error: LocalError) {
        switch error {
        case .inUse: self = .inUse
        case .changed: self = .changing
        case .failed where error == LocalError(.permissionDenied): self = .unreadable
        default: return nil
        }
    }
}

/// Of the last plan, as far as a person can look through it.
struct WaitingItems {
    private var reasons: [LocalPath: WaitingItem.Reason] = [:]
    private static let most = 100

    mutating func note(_ path: LocalPath, _ reason: WaitingItem.Reason) {
        if reasons.count < Self.most || reasons[path] != nil { reasons[path] = reason }
    }

    var all: [WaitingItem] {
        reasons.map { WaitingItem(path: $0.key, reason: $0.value) }
            .sorted { $0.path.names.lexicographicallyPrecedes($1.path.names) }
    }
}

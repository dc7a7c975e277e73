internal import CloudSync

/// Puts what the engine tells into the device's ring, for `watch`, and troubles into the log.
struct CloudEvents: SyncEventSink {
    let ring: EventRing
    let log: DaemonLog

    func report(_ event: SyncEvent) {
        let (name, path, detail) = event.kind.parts
        ring.record(app: event.app ?? "", event: name, path: path, detail: detail)
        if case .troubleBegan(let trouble) = event.kind { log.write("sync: \(trouble)") }
    }
}

extension SyncEvent.Kind {
    /// The event's name, the item's path in the home, and what else a person should know.
    fileprivate var parts: (name: String, path: String?, detail: String?) {
        switch self {
        case .committed(let operations): ("sync-committed", nil, "\(operations) changes are in the store")
        case .pulled(let slot): ("sync-pulled", nil, "the log up to entry \(slot)")
        case .applied(let path): ("sync-applied", Self.text(path), nil)
        case .deletesHeld(let count):
            (
                "sync-deletes-held", nil,
                "\(count) items are gone here; if that is meant: apphome cloud sync --confirm-deletes"
            )
        case .becameAnotherDevice:
            ("sync-new-identity", nil, "this device was copied or rolled back, and goes on as another one")
        case .renamedBesideExcluded(let path):
            ("sync-renamed", Self.text(path), "an item that does not sync has its name")
        case .troubleBegan(let trouble): ("sync-trouble", nil, "\(trouble)")
        case .troubleEnded: ("sync-trouble-ended", nil, nil)
        }
    }

    private static func text(_ path: LocalPath) -> String {
        (["Documents"] + path.names).joined(separator: "/")
    }
}

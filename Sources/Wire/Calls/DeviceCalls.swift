extension Call where Reply == [Setting] {
    public static var settings: Call {
        Call(.settings, deadlineSeconds: quickSeconds) {
            if case .settings(let settings) = $0 { settings } else { nil }
        }
    }
}

extension Call where Reply == Void {
    public static func set(_ key: String, to value: String) -> Call {
        doing(.set(key: key, value: value), deadlineSeconds: quickSeconds)
    }
}

extension Call where Reply == [PurgeReport] {
    public static func purge(_ arguments: PurgeArguments) -> Call {
        Call(.purge(arguments)) { if case .purged(let reports) = $0 { reports } else { nil } }
    }
}

extension Call where Reply == (events: [WatchedEvent], isCut: Bool) {
    /// - Parameter after: an event's number: what came later.
    /// - Returns: the events, and whether the daemon does not know all of them any more.
    public static func events(of app: String, after: UInt64) -> Call {
        Call(.events(app: app, after: after), deadlineSeconds: quickSeconds) {
            if case .events(let events, let isCut) = $0 { (events, isCut) } else { nil }
        }
    }
}

extension Call where Reply == WatchedEvent {
    /// - Parameters:
    ///   - app: nil: of all.
    ///   - sinceSeconds: since 1970: begins with what the daemon still knows; nil: with what comes.
    public static func watch(_ app: String?, sinceSeconds: Double?) -> Call {
        Call(.watch(app: app, sinceSeconds: sinceSeconds), stream: .events) {
            if case .event(let event) = $0 { event } else { nil }
        }
    }
}

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

/// What a watching client is told, one by one.
public enum WatchReport: Equatable, Sendable {
    /// `knownSince`: from when on the daemon knows what happened, where more was asked for.
    case began(knownSince: Timestamp?)
    case event(WatchedEvent)
    /// So many events are left out here: they came faster than this client read.
    case dropped(count: UInt64)
}

extension Call where Reply == WatchReport {
    /// - Parameters:
    ///   - app: nil: of all.
    ///   - sinceSeconds: since 1970: begins with what the daemon still knows; nil: with what comes.
    public static func watch(_ app: String?, sinceSeconds: Double?) -> Call {
        Call(.watch(app: app, sinceSeconds: sinceSeconds), stream: .events) {
            switch $0 {
            case .watching(let time): .began(knownSince: time)
            case .event(let event): .event(event)
            case .dropped(let count): .dropped(count: count)
            default: nil
            }
        }
    }
}

extension Call where Reply == RememberedFindings {
    /// - Parameters:
    ///   - app: with its groups; nil: of all.
    ///   - after: `next` of the answer before; nil: from the first.
    public static func findings(of app: String?, after: Int64? = nil) -> Call {
        Call(.findings(app: app, after: after), deadlineSeconds: quickSeconds) {
            if case .findings(let findings) = $0 { findings } else { nil }
        }
    }
}

extension Call where Reply == Int {
    /// Forgets what is remembered of an app and its groups; nil: of all.
    /// - Returns: how many findings that were.
    public static func clearFindings(of app: String?) -> Call {
        Call(.clearFindings(app: app), deadlineSeconds: quickSeconds) {
            if case .cleared(let count) = $0 { count } else { nil }
        }
    }
}

extension Call where Reply == Void {
    /// On the connection of a run, before its end.
    public static func leftOutside(_ left: LeftOutside) -> Call {
        doing(.leftOutside(left), deadlineSeconds: quickSeconds)
    }
}

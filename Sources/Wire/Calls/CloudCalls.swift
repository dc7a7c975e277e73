public import Posix

// What asks a store takes as long as the daemon waits for that, which has limits of its own: none of these
// has a deadline.

extension Call {
    private static func cloud(
        _ request: CloudRequest, stream: AnswerStream = .none,
        _ read: @escaping @Sendable (CloudAnswer) -> Reply?
    ) -> Call {
        Call(.cloud(request), stream: stream) {
            if case .cloud(let answer) = $0 { read(answer) } else { nil }
        }
    }
}

extension Call where Reply == [String] {
    /// Races conditional writes against the account's store.
    public static var probeAccount: Call { telling(.cloud(.probe)) }

    /// Ends a conflict.
    /// - Parameter keep: `current`, `both`, or a version as `conflicts` names it.
    /// - Returns: what was done, for people.
    public static func resolveConflict(at path: String, of app: String, keeping keep: String) -> Call {
        telling(.cloud(.resolve(app: app, path: path, keep: keep)))
    }

    /// Brings back what items had.
    /// - Parameters:
    ///   - items: paths below Documents, or items as `log` names them.
    ///   - version: as `log` and `conflicts` name it; nil: the last one of what is deleted.
    /// - Returns: what was done, for people.
    public static func restoreDocuments(_ items: [String], of app: String, version: String?) -> Call {
        telling(.cloud(.restore(app: app, items: items, version: version)), stream: .progress)
    }

    /// Copies every object to another, empty store.
    public static func copyAccount(to account: CloudAccountArguments) -> Call {
        telling(.cloud(.copyAccount(account)), stream: .progress)
    }
}

extension Call where Reply == Void {
    public static func turnSync(of app: String, isOn: Bool) -> Call {
        doing(.cloud(.turn(app: app, isOn: isOn)))
    }

    /// Rates in bytes a second, 0: no limit; nil: as they are.
    public static func pauseSync(upRate: Int64?, downRate: Int64?) -> Call {
        doing(.cloud(.pause(upRate: upRate, downRate: downRate)))
    }

    /// Rates as for `pauseSync`.
    public static func resumeSync(upRate: Int64?, downRate: Int64?) -> Call {
        doing(.cloud(.resume(upRate: upRate, downRate: downRate)))
    }

    public static func forget(device: String) -> Call { doing(.cloud(.forget(device: device))) }

    /// Writes a document's bytes.
    public static func writeDocument(
        at path: String, of app: String, version: String?, to output: SharedDescriptor
    ) -> Call {
        doing(.cloud(.cat(app: app, path: path, version: version)), [output])
    }
}

extension Call where Reply == CloudAccountChange {
    public static func setAccount(_ account: CloudAccountArguments) -> Call {
        cloud(.setAccount(account), stream: .progress) {
            if case .accountChange(let change) = $0 { change } else { nil }
        }
    }
}

extension Call where Reply == CloudAccountReport {
    public static var account: Call {
        cloud(.account) { if case .account(let report) = $0 { report } else { nil } }
    }
}

/// Where an app's ubiquity container is, or why it gets null.
public struct UbiquityPath: Codable, Equatable, Sendable {
    public let path: String?
    public let reason: String?
    /// Another one for another account.
    public let token: String?
}

extension Call where Reply == UbiquityPath {
    public static func ubiquityPath(of app: String) -> Call {
        cloud(.path(app: app)) {
            guard case .path(let path, let reason, let token) = $0 else { return nil }
            return UbiquityPath(path: path, reason: reason, token: token)
        }
    }
}

extension Call where Reply == CloudStatusReport {
    /// - Parameter app: nil: all.
    public static func cloudStatus(of app: String?) -> Call {
        cloud(.status(app: app)) { if case .status(let report) = $0 { report } else { nil } }
    }
}

extension Call where Reply == CloudSyncReport {
    public static func sync(_ arguments: CloudSyncArguments) -> Call { syncing(.sync(arguments)) }

    public static func removeDocument(at path: String, of app: String) -> Call {
        syncing(.remove(app: app, path: path))
    }

    private static func syncing(_ request: CloudRequest) -> Call {
        cloud(request, stream: .progress) { if case .synced(let report) = $0 { report } else { nil } }
    }

    /// Before an unmount: lets a home's uploads finish.
    /// - Parameter seconds: for at most so long; nil: as long as it takes.
    /// - Returns: what is left.
    public static func finishUploads(ofMountAt directory: String, seconds: Double?) -> Call {
        cloud(.settle(directory: directory, seconds: seconds), stream: .progress) {
            if case .left(let left) = $0 { left } else { nil }
        }
    }
}

extension Call where Reply == CloudRemoval {
    public static func removeDocumentForEver(at path: String, of app: String) -> Call {
        cloud(.removeForEver(app: app, path: path), stream: .progress) {
            if case .removed(let removal) = $0 { removal } else { nil }
        }
    }
}

extension Call where Reply == [CloudDevice] {
    public static var devices: Call {
        cloud(.devices) { if case .devices(let devices) = $0 { devices } else { nil } }
    }
}

extension Call where Reply == [CloudItem] {
    /// - Parameter path: below Documents.
    public static func documents(of app: String, below path: String) -> Call {
        cloud(.list(app: app, path: path)) { if case .items(let items) = $0 { items } else { nil } }
    }
}

extension Call where Reply == [CloudConflict] {
    public static func conflicts(of app: String) -> Call {
        cloud(.conflicts(app: app)) { if case .conflicts(let conflicts) = $0 { conflicts } else { nil } }
    }
}

extension Call where Reply == [CloudLogEntry] {
    /// - Parameters:
    ///   - path: of what is, or was last, there or below it; empty: of all.
    ///   - limit: at most so many commits.
    public static func log(of app: String, below path: String, limit: Int) -> Call {
        cloud(.log(app: app, path: path, limit: limit), stream: .progress) {
            if case .log(let entries) = $0 { entries } else { nil }
        }
    }
}

extension Call where Reply == CloudCheckReport {
    public static func checkStore(repairs: Bool) -> Call {
        cloud(.check(repairs: repairs)) { if case .check(let report) = $0 { report } else { nil } }
    }
}

extension Call where Reply == CloudCollection {
    /// - Parameter isDryRun: whether only to say what would be removed.
    public static func collect(isDryRun: Bool) -> Call {
        cloud(.collect(isDryRun: isDryRun)) { if case .collected(let result) = $0 { result } else { nil } }
    }

    public static var takeBackUploads: Call {
        cloud(.takeBack) { if case .collected(let result) = $0 { result } else { nil } }
    }
}

extension Call where Reply == CloudQuota {
    public static var quota: Call {
        cloud(.quota) { if case .quota(let quota) = $0 { quota } else { nil } }
    }
}

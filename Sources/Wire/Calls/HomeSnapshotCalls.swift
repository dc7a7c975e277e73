/// Snapshots take as long as they take: none has a deadline.
extension Call where Reply == HomeSnapshotTaken {
    public static func takeSnapshot(_ name: String, of app: String) -> Call {
        Call(.backup(.home(.take(app: app, name: name))), stream: .progress) {
            if case .backup(.homeSnapshotTaken(let taken)) = $0 { taken } else { nil }
        }
    }
}

extension Call where Reply == [HomeSnapshotInfo] {
    public static func snapshots(of app: String) -> Call { listing(.list(app: app)) }

    /// Answers with none.
    public static func removeSnapshot(_ name: String, of app: String) -> Call {
        listing(.remove(app: app, name: name))
    }

    private static func listing(_ request: HomeSnapshotRequest) -> Call {
        Call(.backup(.home(request))) {
            if case .backup(.homeSnapshots(let infos)) = $0 { infos } else { nil }
        }
    }
}

/// The folders of two snapshots, which are there as long as the connection.
public struct ComparedSnapshots: Equatable, Sendable {
    public let from: String
    public let to: String
}

extension Call where Reply == ComparedSnapshots {
    /// - Parameter to: nil: what the app has now.
    public static func compareSnapshots(of app: String, from: String, to: String?) -> Call {
        Call(.backup(.home(.compare(app: app, from: from, to: to))), stream: .progress) {
            if case .backup(.comparedSnapshots(let from, let to)) = $0 {
                ComparedSnapshots(from: from, to: to)
            } else {
                nil
            }
        }
    }
}

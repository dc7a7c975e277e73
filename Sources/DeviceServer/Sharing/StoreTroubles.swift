internal import CloudSync
internal import Posix
internal import SyncContent

/// Writes what is wrong with a store to the log, each thing once: every look at a view finds it again.
final class StoreTroubles: Sendable {
    /// After so long it is worth another line.
    private static let silenceSeconds = 600.0

    private let url: String
    private let log: DaemonLog
    /// When what was said may be said again.
    private let said = Lock<[String: Deadline]>([:], rank: .leaf)

    /// - Parameter url: the store's, for the line.
    init(_ url: String, _ log: DaemonLog) {
        self.url = url
        self.log = log
    }

    func report(_ trouble: SyncTrouble) { report("\(trouble)") }

    /// - Parameter words: may have in them what the store says.
    func report(_ words: String) {
        let isNew = said.withLock { said in
            said = said.filter { !$0.value.hasPassed }
            guard said[words] == nil else { return false }
            said[words] = Deadline(seconds: Self.silenceSeconds)
            return true
        }
        if isNew { log.write("\(url): \(words)".printableLine) }
    }
}

internal import CloudSync
internal import Posix
internal import SandboxFS
internal import SyncContent
internal import SystemPackage

/// An app's documents that are read from the store when somebody first looks into them. That is waited for,
/// but not for ever: the reading goes on, and a later look finds what it brought.
final class LateDocuments: StoreDocuments {
    private enum State {
        case unread
        /// Looks wait until then.
        case reading(until: Deadline)
        case read(ReplicaDocuments)
        /// Nobody tries again before then.
        case failed(until: Deadline)
    }

    private static let retrySeconds = 5.0

    private let state = Gate(State.unread)
    private let patienceSeconds: Double
    private let open: @Sendable () async throws(SyncTrouble) -> StoreReplica
    private let failed: @Sendable (SyncTrouble) -> Void

    /// - Parameters:
    ///   - failed: told what went wrong with the store, where the kernel gets EIO or an older state.
    ///   - patienceSeconds: a store that is only slow has brought a large app's log by then.
    ///   - open: reads the app's log to its end.
    init(
        failed: @escaping @Sendable (SyncTrouble) -> Void, patienceSeconds: Double = 15,
        _ open: @escaping @Sendable () async throws(SyncTrouble) -> StoreReplica
    ) {
        self.open = open
        self.failed = failed
        self.patienceSeconds = patienceSeconds
    }

    /// The top is there without any reading: a list of all apps reads none of them.
    func item(_ number: UInt32) throws(Errno) -> StoreItem {
        number == StoreItem.top.number ? .top : try documents().item(number)
    }

    func items(in directory: UInt32) throws(Errno) -> [StoreItem] {
        try documents().items(in: directory)
    }

    func item(named name: String, in directory: UInt32) throws(Errno) -> StoreItem {
        try documents().item(named: name, in: directory)
    }

    func open(_ number: UInt32) throws(Errno) -> any StoreFile { try documents().open(number) }

    /// - Throws: EIO where the store does not give them, or not in time.
    private func documents() throws(Errno) -> ReplicaDocuments {
        let (deadline, begins) = state.update(look)
        if begins { read() }
        let seconds = Double(deadline?.millisecondsLeft ?? 0) / 1000
        let outcome = state.wait(timeoutSeconds: seconds) { state -> ReplicaDocuments?? in
            switch state {
            case .unread, .reading: nil
            case .read(let documents): .some(documents)
            case .failed: .some(nil)
            }
        }
        if outcome == nil { failed(.storeSlow) }
        guard let documents = outcome ?? nil else { throw .ioError }
        return documents
    }

    /// - Returns: until when to wait, and whether the caller is the one who reads.
    private func look(_ state: inout State) -> (Deadline?, begins: Bool) {
        switch state {
        case .reading(let deadline): return (deadline, false)
        case .failed(let deadline) where !deadline.hasPassed: return (nil, false)
        case .read: return (nil, false)
        case .unread, .failed:
            let deadline = Deadline(seconds: patienceSeconds)
            state = .reading(until: deadline)
            return (deadline, true)
        }
    }

    private func read() {
        let (state, open, failed) = (state, open, failed)
        Task {
            let result: State
            do throws(SyncTrouble) {
                result = .read(ReplicaDocuments(try await open(), failed: failed))
            } catch {
                failed(error)
                result = .failed(until: Deadline(seconds: Self.retrySeconds))
            }
            state.update { $0 = result }
        }
    }
}

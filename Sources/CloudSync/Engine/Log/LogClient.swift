internal import CloudStore
internal import SyncContent
internal import SyncLog

/// One log of the account and this device's part in it: reading on, and adding a batch. All that it remembers
/// is in storage, so it can be made anew at any moment.
struct LogClient: Sendable {
    let name: LogName
    /// Whose log it is, for events; nil: the account's own.
    let app: String?
    let account: Account
    let storage: any SyncStorage
    let surroundings: SyncSurroundings
    let lastDate = LastDate()
    let lastReading = LastReading()
    let told = ToldSlot()
    let ahead = LogAhead()

    var rules: SafetyRules { surroundings.rules }

    func slot(_ sequence: UInt64) -> ObjectKey { account.layout.logEntry(name, sequence) }

    func report(_ kind: SyncEvent.Kind) { surroundings.events.report(SyncEvent(app: app, kind: kind)) }

    /// Nanoseconds after which a question that was not answered is not asked again at once: a store that
    /// takes connections and says nothing would keep the reason from the person for minutes.
    private static let patience: UInt64 = 10_000_000_000

    /// Asks what may be asked twice: again where no answer came or it made no sense, a few times, with waits.
    nonisolated(nonsending) func ask<Value>(
        _ request: nonisolated(nonsending) () async throws(StoreError) -> Dated<Value>
    ) async throws(SyncFailure) -> Dated<Value> {
        var backoff = Backoff.request
        let end = surroundings.clock.now() &+ Self.patience
        while true {
            do {
                let answer = try await request()
                lastDate.hear(answer.date)
                return answer
            } catch let error where error.mayPass && backoff.tries < 3 && surroundings.clock.now() < end {
                try await rest(&backoff)
            } catch {
                throw SyncFailure(error)
            }
        }
    }

    nonisolated(nonsending) func rest(_ backoff: inout Backoff) async throws(SyncFailure) {
        try await rest(for: backoff.next(surroundings.randomness))
    }

    nonisolated(nonsending) func rest(for wait: UInt64) async throws(SyncFailure) {
        do {
            try await surroundings.clock.sleep(until: surroundings.clock.now() &+ wait)
        } catch {
            throw .ended
        }
    }
}

extension StoreError {
    /// Whether the same question may be answered a moment later.
    fileprivate var mayPass: Bool {
        switch self {
        case .unknownOutcome, .undecided, .invalidAnswer: true
        case .unreachable, .clockSkewed, .unauthorized, .forbidden, .missing, .unsupported, .full,
            .cancelled:
            false
        }
    }
}

internal import CloudStore
internal import SyncContent
internal import SyncLog

extension LogClient {
    /// So long a store may leave it open whether it took a slot, before that is said.
    private static let undecidedNanoseconds: UInt64 = 30_000_000_000
    /// Who lost some slots waits so long at most, and no longer after more of them: others who write without
    /// pause get on meanwhile, and what they wrote is to be applied before the next try. With waits that grew
    /// a device won no slot while another flagged a large directory. Each is somebody's progress, so no
    /// number of them says that something is wrong.
    private static let lossNanoseconds: UInt64 = 50_000_000

    /// Brings the batch in flight into the log: to the first empty slot, again and again, always after
    /// reading what others put before it. Replay has the rules, so the batch is the same in every slot. May
    /// be called again after any failure, and after a crash.
    /// - Parameters:
    ///   - isOneTurn: as for `pull`.
    ///   - isRead: whether the log was read to its end a moment ago: where nobody wrote since, that is one
    ///     question less.
    /// - Returns: false where that ended before it.
    @discardableResult
    nonisolated(nonsending) func push(
        isOneTurn: Bool = false, isRead: Bool = false
    ) async throws(SyncFailure) -> Bool {
        var isRead = isRead
        var backoff = Backoff.slot
        var losses = 0
        var lostAt: UInt64?
        var end = surroundings.clock.now() &+ Self.undecidedNanoseconds
        while true {
            if !isRead { guard try await pull(isOneTurn: isOneTurn) else { return false } }
            isRead = false
            guard let frozen = try storage.reading({ try $0.frozenBatch() }) else { return true }
            try storage.reading(refuseUnknownWords)
            switch try await attempt(frozen) {
            case .written:
                if try storage.reading({ try $0.frozenBatch() == nil }) { return true }
                losses = 0
            case .lost:
                losses += 1
                end = surroundings.clock.now() &+ Self.undecidedNanoseconds
                let head = try place().head.sequence
                if head == lostAt {
                    // The store says that the slot is taken, and shows nothing in it.
                    try await rest(&backoff)
                } else {
                    backoff.reset()
                    if losses >= 3 {
                        try await rest(for: surroundings.randomness.below(Self.lossNanoseconds))
                    }
                }
                lostAt = head
            case .undecided:
                if surroundings.clock.now() > end { throw .trouble(.storeSlow) }
                try await rest(&backoff)
            }
            if backoff.tries > 40 { throw .trouble(.storeSlow) }
        }
    }

    private enum Attempt {
        case written
        /// Somebody has the slot, perhaps this device: reading on tells.
        case lost
        /// It may have happened, or the store did not decide: reading on tells, then the same slot again.
        case undecided
    }

    private nonisolated(nonsending) func attempt(_ frozen: EncodedBatch) async throws(SyncFailure) -> Attempt
    {
        let place = try place()
        let sequence = place.head.sequence &+ 1
        let bytes = try await encode(frozen, at: place)
        let answer: Dated<PutOutcome>
        do {
            answer = try await account.store.forRecords.putIfAbsent(bytes, at: slot(sequence))
        } catch .undecided, .unknownOutcome {
            return .undecided
        } catch {
            throw SyncFailure(error)
        }
        lastDate.hear(answer.date)
        guard answer.value == .written else { return .lost }
        var doubt = doubt(at: place)
        doubt.hear(at: answer.date)
        if doubt.isRaised, try await reloadBelowFloor(sequence) {
            // Written where the log is truncated: nobody will ever read it. The snapshot said what is in
            // force.
            return .lost
        }
        let entry = SlotEntry(
            sequence: sequence, bytes: bytes, lastModified: answer.date, seenAt: answer.date)
        try await apply([entry])
        try await hearTime()
        return .written
    }

    /// - Throws: where this build does not understand all of an app's log. Words of the account's own log
    ///   that are not known are none of this device's business.
    func refuseUnknownWords(_ transaction: any SyncTransaction) throws {
        if name != .account, let word = try transaction.unknownWords().first {
            throw SyncFailure.trouble(.unknownFeature(word))
        }
    }
}

package import CloudStore
package import StoreBasics
package import SyncLog

/// What collector and truncation take for the present, from which they count ages.
///
/// Where dates are a server's it is the date of the answer. Where they are those of machines, one clock that
/// is wrong must not make anything old:
/// - it is refused where the folder's clock is more than `graceSeconds` from the newest time that the logs
///   say, either way: an account that rested first commits something;
/// - it is the earlier of the two, less `graceSeconds`. The logs' time is ahead of real time by so much at
///   most at once (`TimeAllowance`), and who writes dates nothing before what he last read of it; so what is
///   written now is never dated before the present that is counted from.
package struct AccountPresent: Sendable {
    /// Nil: each answer's own date.
    private let latest: StoreTime?
    private let graceSeconds: Int64

    /// - Throws: `.clocksApart` where nothing may be judged by its age.
    package static func read(
        _ account: Account, _ rules: SafetyRules = .all
    ) async throws(CollectionError) -> AccountPresent {
        let grace = account.format.retention.graceSeconds
        guard account.store.traits.clockIsOurs, rules.hold(.agesNeedOneClock) else {
            return AccountPresent(latest: nil, graceSeconds: grace)
        }
        guard let newest = try await account.newestTime() else {
            return AccountPresent(latest: nil, graceSeconds: grace)
        }
        guard let date = await account.store.ownTime() else {
            throw .store(.unreachable("the folder does not say what time it is"))
        }
        if let gap = ClockGap(date, newest: newest, grace) { throw .clocksApart(gap) }
        return AccountPresent(latest: min(date, newest).adding(seconds: -grace), graceSeconds: grace)
    }

    /// Nil where nothing may be judged by its age, or a log cannot be read.
    package static func ifKnown(_ account: Account) async throws(StoreError) -> AccountPresent? {
        do { return try await read(account) } catch {
            if case .store(let failure) = error { throw failure }
            return nil
        }
    }

    /// The present by an answer of this date.
    package func at(_ date: StoreTime) -> StoreTime { latest.map { min($0, date) } ?? date }

    /// By which date of the store what is of this time is certainly `seconds` old: an account that rests
    /// brings its logs' time on when it is more than `graceSeconds` behind.
    func date(whenOld time: StoreTime, _ seconds: Int64) -> StoreTime {
        time.adding(seconds: latest == nil ? seconds : seconds + 2 * graceSeconds)
    }
}

extension Account {
    /// The newest time that any of its logs says; nil where none says anything.
    fileprivate func newestTime() async throws(CollectionError) -> StoreTime? {
        var newest = try await time(of: .account)
        for container in try await containers() {
            guard let time = try await time(of: .container(container)) else { continue }
            newest = max(newest ?? time, time)
        }
        return newest
    }

    /// Of the last entry, or of the newest snapshot where all entries are gone.
    private func time(of log: LogName) async throws(CollectionError) -> StoreTime? {
        let prefix = layout.logPrefix(log)
        let listed = try await CollectionError.asking(await store.listAll(prefix)).value
        if let last = listed.last(where: { StoreLayout.sequence(of: $0.key, in: prefix) != nil }) {
            let object = try await CollectionError.asking(await store.get(last.key).value)
            guard let object, case .entry(let entry) = try? LogEntry.decode(object.bytes) else {
                throw .unreadable(last.key.text, "no entry of this version")
            }
            return entry.time
        }
        let snapshots = SnapshotReader(self, log: log)
        do {
            guard let newest = try await snapshots.list().value.last else { return nil }
            return try await snapshots.root(of: newest).head.time
        } catch {
            if case .content(.store(let failure)) = error { throw .store(failure) }
            throw .unreadable(layout.snapshotPrefix(log), "\(error)")
        }
    }
}

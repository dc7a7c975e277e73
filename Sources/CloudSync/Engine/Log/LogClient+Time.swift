internal import CloudStore
internal import StoreBasics
internal import SyncContent
internal import SyncLog

extension LogClient {
    /// The log was read to its end, or went on by this device: its time is known.
    ///
    /// From then on this device dates nothing that it writes before that, whatever its clock says, and no
    /// answer either. So what lies in the folder, from devices whose clocks are years apart, is dated in one
    /// scale: the log's, or later. The collector judges ages by it.
    nonisolated(nonsending) func hearTime() async throws(SyncFailure) {
        guard let reading = await timeReading() else { return }
        let bounds = try surroundings.time.hear(try place().head, reading)
        if let bounds, rules.hold(.filesAreDatedByLog) { account.store.keepDates(in: bounds) }
    }

    /// Before anything is sent: also what goes up before a log is heard again, as after a restart, is dated
    /// in that scale.
    nonisolated(nonsending) func keepTime() async throws(SyncFailure) {
        guard account.store.traits.clockIsOurs, rules.hold(.filesAreDatedByLog) else { return }
        guard let reading = await timeReading(), let bounds = try surroundings.time.bounds(reading) else {
            throw .trouble(.storeSlow)
        }
        account.store.keepDates(in: bounds)
    }

    /// What the commit that is about to be sent after `place` says of its time.
    nonisolated(nonsending) func sayTime(at place: Place) async throws(SyncFailure) -> StoreTime {
        guard let reading = await timeReading() else { return max(said(place), place.head.time) }
        guard rules.hold(.timeIsRationed) else { return max(reading.date, place.head.time) }
        // An app's first entry waits until the account's log was read: two who begin an account would give
        // its logs times that are years apart, and the later one would end what the earlier said.
        guard name == .account || surroundings.time.isKnown else { throw .trouble(.storeSlow) }
        return try surroundings.time.say(after: place.head, reading)
    }

    /// What a commit could say now.
    nonisolated(nonsending) func nextTime() async throws(SyncFailure) -> StoreTime {
        let place = try place()
        guard let reading = await timeReading() else { return max(said(place), place.head.time) }
        return try surroundings.time.next(after: place.head, reading)
    }

    private func said(_ place: Place) -> StoreTime {
        lastDate.value ?? place.journal.storeTime ?? place.head.time
    }

    /// Nil where the dates are a server's. They are believed as they are: a device that was off for months
    /// knows the time with the first answer, and there is one clock that all devices share.
    private nonisolated(nonsending) func timeReading() async -> AccountTime.Reading? {
        guard account.store.traits.clockIsOurs else { return nil }
        guard let date = await account.store.ownTime() ?? lastDate.value else { return nil }
        return AccountTime.Reading(
            clock: surroundings.clock.now(), date: date,
            graceSeconds: account.format.retention.graceSeconds)
    }
}

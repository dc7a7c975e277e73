internal import CloudSync
internal import SyncContent

/// Scenes around what lies in the store. The first device makes documents, the second has them too, the third
/// collects. Days are counted by the account's grace.
extension Script {
    private static let grace = Int(AccountRetention().graceSeconds / AccountRetention.daySeconds)
    /// Longer than what is nobody's stays.
    private mutating func longDays() -> Int { Self.grace + 1 + random.below(Self.grace) }

    mutating func playInStore(_ scene: Scene) {
        switch scene {
        case .orphan: playOrphan()
        case .overslept: playOverslept()
        case .sleepingCollector: playSleepingCollector()
        case .endedHistory: playEndedHistory()
        case .lostObject: playLostObject()
        case .lostPack: playLostPack()
        case .clocksApart: playClocksApart()
        default: playRepaired()
        }
    }

    private mutating func playOrphan() {
        let days = longDays()
        add(.upon(device: 0, .commit, .end(away: UInt64(days) * Plan.day + 20 * Plan.second)))
        act(0, times: 1, within: 1000)
        wait(8...15)
        pass(days: days)
        add(.upon(device: 2, .deletion, .sleep(UInt64(some(30...250)) * Plan.second)))
        add(.collect(device: 2), in: random.below(20_000))
        wait(300...320)
    }

    private mutating func playOverslept() {
        let days = longDays()
        add(.upon(device: 0, .commit, .sleep(UInt64(days) * Plan.day + 100 * Plan.second)))
        act(0, times: 1, within: 1000)
        wait(8...15)
        pass(days: days)
        add(.collect(device: 2))
        wait(120...140)
        meet()
    }

    /// The document's own device is lost before it can look again, and another relies on what it said.
    private mutating func playSleepingCollector() {
        let days = longDays()
        add(.upon(device: 0, .commit, .sleep(UInt64(days) * Plan.day + 60 * Plan.second)))
        act(0, .createCommon)
        wait(8...15)
        pass(days: days)
        let later = longDays()
        add(.upon(device: 2, .look, .sleep(UInt64(later) * Plan.day + 200 * Plan.second)))
        add(.collect(device: 2))
        wait(5...10)
        add(.upon(device: 0, .look, .lose))
        wait(70...90)
        pass(days: later)
        act(1, .createCommon)
        wait(200...220)
        meet()
    }

    private mutating func playEndedHistory() {
        act(0, .createCommon)
        meet()
        pass(days: longDays())
        act(0, .delete)
        // It has seen the document, and sleeps before it looks whether the store has the bytes.
        let nearlyGrace = UInt64(Self.grace - 1) * Plan.day + UInt64(some(0...86_000)) * Plan.second
        if random.chance(perMille: 500) {
            add(.upon(device: 1, .look, .sleep(nearlyGrace)))
            act(1, .createCommon)
        } else {
            // Or before it does anything for what its app made.
            act(1, .createCommon)
            add(.suspend(device: 1, nearlyGrace), in: random.below(1500))
        }
        wait(8...15)
        add(.endHistory(device: 0, random.next()))
        wait(8...15)
        // And again, for nearly as long as what it has seen counts.
        let untilCommit = random.chance(perMille: 500) ? some(10...300) : some(100_000...148_000)
        add(.upon(device: 1, .commit, .sleep(UInt64(untilCommit) * Plan.second)))
        pass(days: Self.grace)
        act(0, .create)
        wait(8...15)
        add(.collect(device: 2))
        wait(100...200)
        act(0, .create)
        add(.collect(device: 2))
        meet()
    }

    private mutating func playLostObject() {
        act(0, .createCommon)
        meet()
        pass(days: longDays())
        add(.loseObject(random.next()))
        wait(1...2)
        act(1, .createCommon)
        meet()
    }

    private mutating func playLostPack() {
        for _ in 0..<4 { act(0, .create) }
        for _ in 0..<2 { act(0, .createCommon) }
        meet()
        for _ in 0..<3 { act(0, .delete) }
        meet()
        // What was replaced is kept for a month, by what is said afterwards.
        pass(days: 31)
        act(1, .createCommon)
        meet()
        pass(days: Self.grace + 1)
        let days = longDays()
        add(.upon(device: 2, .commit, .sleep(UInt64(days) * Plan.day + 100 * Plan.second)))
        add(.collect(device: 2))
        wait(10...20)
        pass(days: days)
        add(.collect(device: 1))
        wait(110...120)
        pass(days: Self.grace + 1)
        add(.collect(device: 1))
        meet()
    }

    /// The one that collects has the right clock, or another wrong one.
    private mutating func playClocksApart() {
        for device in [0, 2] where device == 0 || random.chance(perMille: 500) {
            add(.folderClock(device: device, random.pick(Plan.clockOffsets) ?? 0))
        }
        if random.chance(perMille: 300) { pass(days: some(1...20)) }
        // Time goes on with what is said.
        for _ in 0..<some(1...3) {
            act(device(), times: some(shape.actions), within: 1000)
            wait(8...15)
        }
        add(.upon(device: 0, .commit, .sleep(UInt64(some(30...300)) * Plan.second)))
        act(0, .create)
        wait(4...10)
        act(1, .create)
        wait(4...10)
        add(.collect(device: 2))
        if random.chance(perMille: 300) { add(.collect(device: 1), in: random.below(20_000)) }
        wait(300...320)
        meet()
    }

    private mutating func playRepaired() {
        act(0, times: some(shape.actions), within: 2000)
        meet()
        add(.loseObject(random.next()))
        add(.repair(device: device()))
        meet()
    }
}

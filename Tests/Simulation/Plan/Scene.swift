/// What can happen between people who do not see each other's work at once.
enum Scene {
    /// All devices are offline while people act; then they meet.
    case apart
    /// The same, and one of them sleeps when it is about to say what was done there.
    case late
    /// One device is offline while another acts twice, and the second time sleeps with it.
    case crossed
    /// At once, each seeing what it sees.
    case together
    /// One device is away until nobody remembers what it knew.
    case halfYear
    /// One is away, or asleep with a slot in its hand, until the log below that slot is gone.
    case truncated
    /// A device is copied with what it was about to say, and both go on.
    case copied
    /// A device is put back to what was saved of it.
    case setBack
    /// A disk is empty for a while.
    case vanished
    /// A device dies with its bytes sent and nothing said, and says it when a collector has begun.
    case orphan
    /// A device sleeps with its bytes sent until they count as nobody's.
    case overslept
    /// A collector sleeps while what it took for nobody's becomes somebody's.
    case sleepingCollector
    /// A device takes back what it sent for nothing, and its copy was about to refer to that.
    case takenBack
    /// The history of a document ends while somebody makes it again from the bytes that the store has.
    case endedHistory
    /// The store loses an old document's bytes, and somebody makes a copy of the document.
    case lostObject
    /// A pack is packed anew, and the new one is gone before anybody hears of it.
    case lostPack
    /// The store loses bytes, and a person lets them be sent again.
    case repaired
    /// A device whose clock is years off sends, and sleeps before it says so, while others collect.
    case clocksApart
}

extension Script {
    mutating func play(_ scene: Scene) {
        switch scene {
        case .apart: playApart(isLate: false)
        case .late: playApart(isLate: true)
        case .crossed: playCrossed()
        case .together: playTogether()
        case .halfYear: playHalfYear()
        case .truncated: playTruncated()
        case .copied: playCopied()
        case .setBack: playSetBack()
        case .vanished: playVanished()
        case .takenBack: playTakenBack()
        case .orphan, .overslept, .sleepingCollector, .endedHistory, .lostObject, .lostPack, .repaired,
            .clocksApart:
            playInStore(scene)
        }
    }

    private mutating func playApart(isLate: Bool) {
        let seconds = 3 + random.below(8)
        for device in 0..<devices { add(.offline(device: device, UInt64(seconds) * Plan.second)) }
        for device in 0..<devices { act(device, times: some(shape.actions), within: seconds * 1000) }
        if isLate {
            let away = random.nanoseconds(in: Plan.second..<140 * Plan.second)
            add(.upon(device: device(), .commit, .sleep(away)))
        }
        time += UInt64(seconds) * Plan.second
        meet()
    }

    private mutating func playCrossed() {
        let sleeper = device()
        for device in 0..<devices where device != sleeper {
            add(.offline(device: device, 25 * Plan.second))
            act(device, times: some(shape.actions), within: 5000, isAway: true)
        }
        if shape.verbsAway == nil { act(sleeper, times: some(shape.actions), within: 2000) }
        wait(15...20)
        add(.upon(device: sleeper, .commit, .sleep(160 * Plan.second)))
        act(sleeper, times: some(shape.actions), within: random.chance(perMille: 500) ? 2 : 1000)
        wait(180...200)
        meet()
    }

    private mutating func playTogether() {
        let milliseconds = [300, 1500, 4000][random.below(3)]
        for device in 0..<devices { act(device, times: some(shape.actions), within: milliseconds) }
        time += UInt64(milliseconds) * 1_000_000
        if random.chance(perMille: 500) { wait(1...20) } else { meet() }
    }

    private mutating func playHalfYear() {
        let (away, days) = (device(), 181 + random.below(20))
        add(.offline(device: away, UInt64(days) * Plan.day + 500 * Plan.second))
        for device in 0..<devices { act(device, times: some(shape.actions), within: 5000) }
        wait(100...150)
        pass(days: days)
        // Time goes on with what is said.
        for _ in 0..<2 {
            for device in 0..<devices where device != away { act(device, times: 1, within: 2000) }
            wait(60...100)
        }
        wait(400...450)
    }

    private mutating func playTruncated() {
        let (away, days) = (device(), 31 + random.below(12))
        let time = UInt64(days) * Plan.day + 500 * Plan.second
        if random.chance(perMille: 400) {
            add(.upon(device: away, .commit, .sleep(time)))
        } else {
            add(.offline(device: away, time))
        }
        act(away, times: some(shape.actions), within: 2000)
        playOthers(than: away, times: 3)
        pass(days: days)
        playOthers(than: away, times: 4)
        wait(400...450)
        meet()
    }

    /// Each time in a commit of its own.
    private mutating func playOthers(than away: Int, times: Int) {
        for _ in 0..<times {
            for device in 0..<devices where device != away { act(device, times: 1, within: 500) }
            wait(20...30)
        }
    }

    private mutating func playCopied() {
        let original = device()
        guard devices < World.deviceLimit else { return playTogether() }
        // With a batch that was not sent yet, or not answered.
        if random.chance(perMille: 500) { act(original, times: 1, within: 10) }
        wait(0...3)
        add(.clone(device: original))
        devices += 1
        time += UInt64(random.below(3000)) * 1_000_000
        random.chance(perMille: 500) ? playApart(isLate: false) : playTogether()
        playTogether()
        meet()
    }

    /// The copy says it before, or long after.
    private mutating func playTakenBack() {
        let original = device()
        guard devices < World.deviceLimit else { return playTogether() }
        add(
            .endAtWrite(
                device: original, writes: some(2...7), isBefore: true, .killed, away: 30 * Plan.second))
        act(original, .create)
        wait(5...10)
        add(.clone(device: original))
        let asleep = random.nanoseconds(in: Plan.second..<100 * Plan.second)
        add(.upon(device: devices, .commit, .sleep(asleep)), in: 1)
        devices += 1
        act(original, .delete)
        wait(40...60)
        add(.takeBack(device: original))
        act(original, times: some(shape.actions), within: 5000)
        meet()
    }

    private mutating func playSetBack() {
        let device = device()
        add(.save(device: device))
        playTogether()
        add(.setBack(device: device))
        random.chance(perMille: 500) ? playApart(isLate: false) : playTogether()
    }

    private mutating func playVanished() {
        playTogether()
        meet()
        let device = device()
        add(.vanish(device: device, UInt64(some(30...200)) * Plan.second))
        wait(210...230)
        meet()
    }
}

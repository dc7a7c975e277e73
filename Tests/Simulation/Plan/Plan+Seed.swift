extension Plan {
    /// The history of a seed, with writers whose bounds are so small that it meets them.
    init(tiny seed: UInt64) {
        // Of its own, so that other histories stay what they were.
        var random = WorldRandom(seed: seed, stream: 1 << 62)
        self.init(seed: seed, devices: random.chance(perMille: 30) ? 6 + random.below(7) : nil)
        name = "tiny/\(seed)"
        bounds = Bounds(seed: seed)
        if random.chance(perMille: 100) { oldBuild = random.below(devices) }
        var ofApps = WorldRandom(seed: seed, stream: 1 << 59)
        if ofApps.chance(perMille: 200) { apps = World.appNames.count }
        hasKeyValues = ofApps.chance(perMille: 300)
        if random.chance(perMille: 200) { faults.oldListing = 100 }
        guard random.chance(perMille: 200) else { return }
        for _ in 0..<5 {
            let time = random.nanoseconds(in: Self.second..<max(end, 2 * Self.second))
            let length = random.nanoseconds(in: Self.second..<200 * Self.second)
            steps.append(Step(time: time, kind: .corruptEntry(random.next(), length)))
        }
        steps.sort { $0.time < $1.time }
    }

    /// The history of a seed.
    /// - Parameter devices: nil: two to four.
    init(seed: UInt64, devices many: Int? = nil) {
        var random = WorldRandom(seed: seed)
        self.init(
            name: "\(seed)", seed: seed, devices: 2 + [0, 0, 0, 1, 1, 2][random.below(6)],
            faults: random.chance(perMille: 250) ? .none : StoreFaults(),
            clockIsOurs: random.chance(perMille: 200), steps: [], end: 0)
        if let many { devices = many }
        // Most histories are of minutes; in some, days go by between these.
        let chapters = random.chance(perMille: 300) ? 2 + random.below(4) : 1
        let character = Character(&random)
        var time = Self.second
        for chapter in 0..<chapters {
            if chapter > 0 { time = passDays(from: time, &random) }
            time = addChapter(from: time, character, isAlone: chapters == 1, &random)
        }
        // What happens beside the last action comes right behind it.
        end = time + 1
        if clockIsOurs { setClocks(upTo: time, seed) }
        addChoices(upTo: time, seed)
        if random.chance(perMille: 150) { lastSleep = UInt64(1 + random.below(60)) * Self.day }
        steps.sort { $0.time < $1.time }
    }

    /// How far machines' clocks are apart, in seconds: years, and what is nearly a collector's grace.
    static let clockOffsets: [Int64] = [
        3_650 * 86_400, -3_650 * 86_400, 20 * 86_400, -20 * 86_400, 6 * 86_400, -6 * 86_400, 3_600,
    ]

    /// In half of them devices' clocks are wrong from the beginning, or go wrong.
    private mutating func setClocks(upTo end: UInt64, _ seed: UInt64) {
        // Of its own, so that other histories stay what they were.
        var random = WorldRandom(seed: seed, stream: 1 << 61)
        guard random.chance(perMille: 500) else { return }
        for device in 0..<devices where random.chance(perMille: 600) {
            let time = random.chance(perMille: 500) ? 0 : random.next() % end
            let offset = random.pick(Self.clockOffsets) ?? 0
            steps.append(Step(time: time, kind: .folderClock(device: device, offset)))
        }
    }

    /// In some of them people end conflicts, and bring back what was deleted.
    private mutating func addChoices(upTo end: UInt64, _ seed: UInt64) {
        // Of its own, so that other histories stay what they were.
        var random = WorldRandom(seed: seed, stream: 1 << 58)
        guard random.chance(perMille: 300) else { return }
        for _ in 0..<6 {
            let device = random.below(devices)
            let time = random.nanoseconds(in: Self.second..<max(end, 2 * Self.second))
            let kind: Kind =
                random.chance(perMille: 600)
                ? .resolve(device: device, random.next()) : .bringBack(device: device, random.next())
            steps.append(Step(time: time, kind: kind))
        }
    }

    /// What a history is fond of, so that rare things also come together and not only one by one.
    private struct Character {
        var endings = 0
        var copies = 0
        var clocks = 0
        var sleeps = 0
        var races = 0
        var shortages = 0
        var joins = 0
        var favourite: UserVerb?

        init(_ random: inout WorldRandom) {
            if random.chance(perMille: 600) { endings = 30 + random.below(150) }
            if random.chance(perMille: 200) { copies = 30 }
            if random.chance(perMille: 150) { clocks = 30 }
            if random.chance(perMille: 400) { sleeps = 60 }
            if random.chance(perMille: 600) { races = 100 }
            if random.chance(perMille: 150) { shortages = 40 }
            if random.chance(perMille: 200) { joins = 25 }
            if random.chance(perMille: 300) { favourite = random.pick(UserVerb.common) }
        }
    }

    private mutating func passDays(from time: UInt64, _ random: inout WorldRandom) -> UInt64 {
        let days = [1, 3, 8, 12, 25, 35, 45, 200][random.below(8)]
        if random.chance(perMille: 400) {
            // It comes back when all others have moved on.
            let more = UInt64(random.below(45)) * Self.day
            let device = random.below(devices)
            let away = UInt64(days) * Self.day + more
            let kind: Kind =
                random.chance(perMille: 500)
                ? .suspend(device: device, away) : .offline(device: device, away)
            steps.append(Step(time: time - random.nanoseconds(in: 0..<Self.second), kind: kind))
        }
        steps.append(Step(time: time, kind: .pass(UInt64(days) * Self.day)))
        return time + UInt64(days) * Self.day + Self.second
    }

    private mutating func addChapter(
        from start: UInt64, _ character: Character, isAlone: Bool, _ random: inout WorldRandom
    ) -> UInt64 {
        let actions = 8 + random.below(isAlone ? 50 : 25)
        // From all at once to one in a while.
        let pace = [20, 300, 2000, 6000][random.below(4)]
        var time = start
        for _ in 0..<actions {
            time += UInt64(random.below(pace) + 1) * 1_000_000
            steps.append(Step(time: time, kind: action(character, &random)))
            if let event = event(character, &random) { steps.append(Step(time: time + 1, kind: event)) }
        }
        return time + UInt64(random.below(20)) * Self.second
    }

    private func action(_ character: Character, _ random: inout WorldRandom) -> Kind {
        var verb = UserVerb.weighted[random.below(UserVerb.weighted.count)]
        if let favourite = character.favourite, random.chance(perMille: 300) { verb = favourite }
        let device = random.below(devices)
        if random.chance(perMille: character.races) {
            return .race(device: device, verb, random.next(), calls: 1 + random.below(60))
        }
        return .app(device: device, verb, random.next())
    }

    private func event(_ character: Character, _ random: inout WorldRandom) -> Kind? {
        let device = random.below(devices)
        let second = Self.second
        if random.chance(perMille: character.endings) {
            let ending: Ending = random.chance(perMille: 600) ? .killed : .powerFailed
            let away = random.nanoseconds(in: second / 10..<20 * second)
            if random.chance(perMille: 300) { return .end(device: device, ending, away: away) }
            return .endAtWrite(
                device: device, writes: random.below(12), isBefore: random.chance(perMille: 500), ending,
                away: away)
        }
        if random.chance(perMille: character.copies) {
            return [
                .clone(device: device), .save(device: device), .setBack(device: device),
                .setBack(device: device),
            ][random.below(4)]
        }
        if random.chance(perMille: character.joins) { return .join }
        if random.chance(perMille: character.sleeps) {
            let time = random.nanoseconds(in: second..<60 * second)
            return random.chance(perMille: 500)
                ? .suspend(device: device, time) : .offline(device: device, time)
        }
        if random.chance(perMille: character.clocks) {
            let seconds = [31_536_000, -86_400, 3_600, 3_000_000][random.below(4)]
            return random.chance(perMille: 500)
                ? .storeClock(Int64(abs(seconds))) : .wallClock(device: device, Int64(seconds))
        }
        if random.chance(perMille: character.shortages) {
            let time = random.nanoseconds(in: second..<40 * second)
            return [.storeAway(time), .storeFull(time), .diskFull(device: device, time)][random.below(3)]
        }
        return nil
    }
}

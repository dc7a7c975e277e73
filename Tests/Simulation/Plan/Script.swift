/// Writes the history of a shape, scene after scene.
struct Script {
    let shape: Shape
    var random: WorldRandom
    let firstDevices: Int
    let clockIsOurs: Bool
    /// Those that there are by now, copies too.
    var devices: Int
    private(set) var steps: [Plan.Step] = []
    /// Up to here it is written.
    var time = Plan.second

    init(_ shape: Shape, number: UInt64) {
        self.shape = shape
        // Shapes of one number have nothing in common.
        random = WorldRandom(seed: number, stream: Trace.fingerprint(shape.name.utf8))
        firstDevices = shape.devices.lowerBound + random.below(shape.devices.count)
        clockIsOurs = random.chance(perMille: 200) || shape.isInFolder
        devices = firstDevices
    }

    mutating func write() {
        if !shape.first.isEmpty {
            for verb in shape.first { act(0, verb) }
            meet()
        }
        for _ in 0..<some(shape.rounds) {
            guard let scene = random.pick(shape.scenes) else { return }
            play(scene)
        }
    }

    // MARK: Words

    mutating func some(_ range: ClosedRange<Int>) -> Int { range.lowerBound + random.below(range.count) }
    mutating func device() -> Int { random.below(devices) }

    /// - Parameter delay: milliseconds from now.
    mutating func add(_ kind: Plan.Kind, in delay: Int = 0) {
        steps.append(Plan.Step(time: time + UInt64(delay) * 1_000_000, kind: kind))
    }

    mutating func wait(_ seconds: ClosedRange<Int>) { time += UInt64(some(seconds)) * Plan.second }

    /// Time in which all who can reach the store hear all that was said, though they waited to try again.
    mutating func meet() { wait(100...170) }

    mutating func pass(days: Int) {
        add(.pass(UInt64(days) * Plan.day))
        time += UInt64(days) * Plan.day + Plan.second
    }

    mutating func act(_ device: Int, _ verb: UserVerb) {
        add(.app(device: device, verb, random.next()))
        time += 5_000_000
    }

    /// Some of the shape's actions, in the next so many milliseconds.
    mutating func act(_ device: Int, times: Int, within milliseconds: Int, isAway: Bool = false) {
        let verbs = isAway ? shape.verbsAway ?? shape.verbs : shape.verbs
        for _ in 0..<times {
            let moment = random.below(milliseconds)
            add(.app(device: device, verb(of: verbs), random.next()), in: moment)
            for (event, chance) in shape.events where random.chance(perMille: chance) {
                add(kind(of: event, device), in: moment + random.below(3000))
            }
        }
    }

    private mutating func verb(of verbs: [UserVerb: Int]) -> UserVerb {
        // In the order of their numbers: a dictionary has none.
        let all = verbs.sorted { $0.key.rawValue < $1.key.rawValue }
        var left = random.below(max(1, all.reduce(0) { $0 + $1.value }))
        for (verb, weight) in all {
            left -= weight
            if left < 0 { return verb }
        }
        return .create
    }

    private mutating func endAtWrite(_ device: Int, _ ending: Plan.Ending) -> Plan.Kind {
        .endAtWrite(
            device: device, writes: random.below(14), isBefore: random.chance(perMille: 500), ending,
            away: random.nanoseconds(in: Plan.second / 10..<20 * Plan.second))
    }

    private mutating func kind(of event: Shape.Event, _ device: Int) -> Plan.Kind {
        switch event {
        case .endAtWrite:
            endAtWrite(device, random.chance(perMille: 700) ? .killed : .powerFailed)
        case .losePowerAtWrite: endAtWrite(device, .powerFailed)
        case .evict: .evict(device: device, random.next())
        case .restore: .restore(device: device, random.next())
        case .resolve: .resolve(device: device, random.next())
        case .takeBack: .takeBack(device: device)
        case .endHistory: .endHistory(device: device, random.next())
        case .race: .race(device: device, verb(of: shape.verbs), random.next(), calls: 1 + random.below(80))
        case .faults: .offline(device: device, random.nanoseconds(in: Plan.second..<40 * Plan.second))
        }
    }
}

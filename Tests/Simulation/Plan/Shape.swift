internal import CloudSync

/// A kind of histories: few things that happen often, so that a rule which only matters where they meet is
/// met in some hundred histories. All shapes: `Shape+All`.
struct Shape {
    let name: String
    /// What happens in a round; each is as likely as the others.
    var scenes: [Scene]
    var devices = 2...3
    var faults = StoreFaults.none
    /// What people do, and how often against the others.
    var verbs: [UserVerb: Int]
    /// What people do whose device is offline in a `crossed` scene; nil: the same.
    var verbsAway: [UserVerb: Int]?
    /// Few, so that devices meet.
    var names = ["a", "b"]
    /// What the first device has made before the others see anything.
    var first: [UserVerb] = []
    var rounds = 1...3
    /// Of each device in a round.
    var actions = 1...3
    /// What comes with an action, in thousandths of them.
    var events: [(Event, perMille: Int)] = []
    var commitsPerSnapshot: UInt64?
    /// Machines date what lies in the store.
    var isInFolder = false
    /// Whether devices have a key-value store in common.
    var hasKeyValues = false
    /// Until all is to come to rest: then there is none.
    var quotaBytes: UInt64?
    /// What no person does in such a history, and so no device may say.
    var unsaid: Set<Plan.Word> = []

    /// What goes on beside people's doings.
    enum Event {
        case endAtWrite
        /// Always for want of power.
        case losePowerAtWrite
        case evict
        case takeBack
        case endHistory
        case restore
        case resolve
        case race
        case faults
    }
}

extension Plan {
    /// What a device can say of an item.
    enum Word {
        case move
        case delete
    }

    /// The history of a shape that has this number.
    init(shape: Shape, number: UInt64) {
        var script = Script(shape, number: number)
        script.write()
        self.init(
            name: "\(shape.name)/\(number)", seed: number, devices: script.firstDevices, faults: shape.faults,
            clockIsOurs: script.clockIsOurs, steps: script.steps.sorted { $0.time < $1.time },
            end: script.time)
        names = shape.names
        commitsPerSnapshot = shape.commitsPerSnapshot
        hasKeyValues = shape.hasKeyValues
        quotaBytes = shape.quotaBytes
        unsaid = shape.unsaid
    }

    /// A history by its name: a number, or a shape's name, a slash, and a number.
    init?(named name: String) {
        let parts = name.split(separator: "/")
        guard let number = parts.last.flatMap({ UInt64($0) }) else { return nil }
        if parts.count == 1 {
            self.init(seed: number)
        } else if parts.count == 2, parts[0] == "tiny" {
            self.init(tiny: number)
        } else if parts.count == 2, let shape = Shape.named(String(parts[0])) {
            self.init(shape: shape, number: number)
        } else {
            return nil
        }
    }
}

/// A named list of steps; its outcome is the text of all of them.
struct Case: Sendable {
    let name: String
    let steps: [Step]

    /// True where a step takes another user's identity: the case is left out for an ordinary user.
    var needsRoot: Bool { steps.contains(where: \.needsRoot) }

    init(_ name: String, _ steps: Step...) {
        self.init(name, steps: steps)
    }

    init(_ name: String, steps: [Step]) {
        self.name = name
        self.steps = steps
    }

    /// The cases of one concern, each named `concern/name`.
    static func group(_ concern: String, _ cases: [Case]) -> [Case] {
        cases.map { Case("\(concern)/\($0.name)", steps: $0.steps) }
    }

    /// One case for each item of a table.
    static func each<Item>(_ items: [Item], _ make: (Item) -> Case) -> [Case] {
        items.map(make)
    }
}

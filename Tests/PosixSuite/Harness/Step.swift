/// One act of a case, and the text of what it showed.
///
/// What a step answers must be the same in every directory where it behaves the same: errno names, counts,
/// modes, contents; never inode numbers, absolute times or paths.
struct Step: Sendable {
    /// True where the step takes other users' identities, which only root can.
    let needsRoot: Bool
    let run: @Sendable (World) -> String

    init(_ verb: String, needsRoot: Bool = false, _ act: @escaping @Sendable (World) -> String) {
        self.needsRoot = needsRoot
        run = { world in verb.isEmpty ? act(world) : "\(verb) \(act(world))" }
    }

    /// A step made of others.
    init(
        _ verb: String, around steps: [Step], needsRoot: Bool = false,
        _ act: @escaping @Sendable (World) -> String
    ) {
        self.init(verb, needsRoot: needsRoot || steps.contains(where: \.needsRoot), act)
    }
}

extension [Step] {
    /// Runs them all, whatever they answer, and joins their texts.
    func run(in world: World) -> String {
        map { $0.run(world) }.joined(separator: "; ")
    }
}

extension Step {
    /// Several steps in the place of one.
    static func steps(_ steps: Step...) -> Step {
        Step("", around: steps) { steps.run(in: $0) }
    }
}

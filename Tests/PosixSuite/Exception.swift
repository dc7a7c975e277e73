/// A kind of difference between a mount and a plain file system that is written down, with its reason.
struct Exception: Sendable {
    /// One case's exact outcomes; more than one where they depend on the user or on the way data is served.
    struct Expectation: Sendable {
        let kind: String
        let name: String
        let control: [String]
        let mount: [String]
    }

    let kind: String
    let reason: String
    let expectations: [Expectation]

    init(_ kind: String, reason: String, _ cases: (String, control: [String], mount: [String])...) {
        self.kind = kind
        self.reason = reason
        expectations = cases.map { Expectation(kind: kind, name: $0.0, control: $0.control, mount: $0.mount) }
    }

    /// What is written for the case of that name.
    static func expectation(of name: String) -> Expectation? { index[name] }

    private static let index: [String: Expectation] = Dictionary(
        uniqueKeysWithValues: all.flatMap(\.expectations).map { ($0.name, $0) })

    static let all: [Exception] = []
}

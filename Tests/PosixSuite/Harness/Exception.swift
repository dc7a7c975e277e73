/// A kind of difference between a mount and a plain file system that is written down, with its reason.
struct Exception: Sendable {
    /// What the mount must show where the plain directory shows `plain`: exactly one of `mount`.
    struct Pair: Sendable {
        let plain: String
        let mount: [String]

        init(_ plain: String, mount: String...) {
            self.plain = plain
            self.mount = mount
        }
    }

    /// A case's pairs: one, or one for root and one for an ordinary user.
    struct Expectation: Sendable {
        let kind: String
        let name: String
        let pairs: [Pair]

        /// Why the two outcomes are not what is written; nil where they are.
        func objection(plain: String, mount: String) -> String? {
            guard let pair = pairs.first(where: { $0.plain == plain }) else {
                return "the control does not show what is written for \(kind)"
            }
            return pair.mount.contains(mount) ? nil : "the mount does not show what is written for \(kind)"
        }
    }

    let kind: String
    let reason: String
    let expectations: [Expectation]

    /// - Parameter cases: each case's name and its pairs.
    init(_ kind: String, reason: String, _ cases: (String, [Pair])...) {
        self.init(kind, reason: reason, cases)
    }

    init(_ kind: String, reason: String, _ cases: [(String, [Pair])]) {
        self.kind = kind
        self.reason = reason
        expectations = cases.map { Expectation(kind: kind, name: $0.0, pairs: $0.1) }
    }

    /// Every exception that holds of a mount.
    static func written(_ names: NameComparison, _ view: MountedView) -> [Exception] {
        let ofNames: [Exception] =
            switch names {
            case .legacy: []
            case .device: [invalidNames, renamedSpelling, ofSpellings(names)]
            case .simulator: [invalidNames, renamedSpelling, ofSpellings(names)] + ofSimulatorNames
            }
        let ofView: [Exception] =
            switch view {
            case .home: []
            case .guest: ofGuests
            case .own: ofOwnMounts
            }
        return all + ofNames + ofView
    }

    /// What is written for each case, by its name.
    static func expectations(_ names: NameComparison, _ view: MountedView) -> [String: Expectation] {
        // What is written of a view is the narrower, and holds instead.
        let written = written(names, view).flatMap(\.expectations)
        return Dictionary(written.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    }
}

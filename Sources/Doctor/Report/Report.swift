/// What was found in apps, judged by what the project says of it: what is new, known, ignored.
public struct Report: Sendable {
    public struct App: Sendable {
        public let name: String
        public let bundleID: String
        /// Files that were met, and bytes of them that were read.
        public let files: Int
        public let bytes: UInt64
        /// Those that count.
        public let found: FindingList
        /// Those that the baseline has.
        public let known: FindingList
        /// How many the project ignores.
        public let ignored: Int
    }

    public let apps: [App]
    /// From where on a finding makes a command fail.
    public let failOn: Severity
    /// Whether there is a baseline.
    public let hasBaseline: Bool
    /// What ignores nothing, with its place in the file, from 1.
    public let unusedIgnores: [(number: Int, rule: ProjectSettings.Ignore)]
    /// What the baseline has and these apps do not have any more, in order, and how many of it.
    public let unusedBaseline: [(identity: FindingIdentity, count: Int)]

    /// - Parameter failOn: nil: as the project says, or from errors on.
    public init(
        _ apps: [AppFindings], _ settings: ProjectSettings, baseline: Baseline?, failOn: Severity?
    ) {
        var screen = Screen(settings.ignores)
        var known = KnownFindings(baseline ?? Baseline())
        self.apps = apps.map { app in
            let (ignored, left) = screen.divided(app.found.sorted())
            known.count(left, in: app.bundleID)
            let (old, new) = left.divided(
                { known.take($0, in: app.bundleID) },
                takesOmitted: { known.take($1, of: $0, in: app.bundleID) })
            return App(
                name: app.name, bundleID: app.bundleID, files: app.files, bytes: app.bytes, found: new,
                known: old, ignored: ignored.counts.values.reduce(0, +))
        }
        self.failOn = failOn ?? settings.failOn ?? .error
        hasBaseline = baseline != nil
        unusedIgnores = screen.unused
        unusedBaseline = known.left(of: Set(apps.map(\.bundleID)))
    }

    /// What a baseline is to have after this run.
    /// - Parameter earlier: what it has of other apps is kept.
    public static func baseline(
        of apps: [AppFindings], _ settings: ProjectSettings, keeping earlier: Baseline?
    ) -> Baseline {
        var screen = Screen(settings.ignores)
        let left = apps.map { app in
            var app = app
            app.found = screen.divided(app.found).left
            return app
        }
        return Baseline(of: left, keeping: earlier)
    }

    /// Whether a command is to fail.
    public var fails: Bool { apps.contains { $0.found.count(atLeast: failOn) > 0 } }

    /// Of all apps.
    public func count(of severity: Severity) -> Int {
        apps.reduce(0) { $0 + $1.found.count(of: severity) }
    }
}

/// The rules of a project, and which of them were of use.
private struct Screen {
    let rules: [ProjectSettings.Ignore]
    var used: Set<Int> = []

    init(_ rules: [ProjectSettings.Ignore]) { self.rules = rules }

    /// - Returns: the ignored ones, and the rest.
    mutating func divided(_ found: FindingList) -> (taken: FindingList, left: FindingList) {
        // Of those that were counted alone nothing but the code is known.
        let covered = Set(found.counts.keys.filter { code in rules.contains { $0.covers(code) } })
        return found.divided({ ignores($0) }, takesOmitted: { covered.contains($0) ? $1 : 0 })
    }

    private mutating func ignores(_ finding: Finding) -> Bool {
        let fitting = rules.indices.filter { rules[$0].matches(finding) }
        used.formUnion(fitting)
        return !fitting.isEmpty || ProjectSettings.builtIn.contains { $0.matches(finding) }
    }

    var unused: [(number: Int, rule: ProjectSettings.Ignore)] {
        rules.indices.filter { !used.contains($0) }.map { ($0 + 1, rules[$0]) }
    }
}

/// What a baseline has that was not met yet.
private struct KnownFindings {
    private var left: [FindingIdentity: Int]
    /// Of codes that were not all listed it matters alone how many there were: which are listed is chance.
    private var counted: [FindingIdentity: Int] = [:]

    init(_ baseline: Baseline) { left = baseline.counts }

    /// To be called before an app's findings are taken.
    mutating func count(_ found: FindingList, in app: String) {
        for code in found.counts.keys {
            let all = FindingIdentity.unlisted(code, in: app)
            guard left[all] != nil else { continue }
            counted[all] = left.reduce(0) { sum, entry in
                entry.key.app == app && entry.key.code == code.rawValue ? sum + entry.value : sum
            }
            left = left.filter { $0.key.app != app || $0.key.code != code.rawValue }
        }
    }

    mutating func take(_ finding: Finding, in app: String) -> Bool {
        if take(1, of: finding.code, in: app) == 1 { return true }
        let identity = FindingIdentity(finding, in: app)
        guard let count = left[identity] else { return false }
        left[identity] = count > 1 ? count - 1 : nil
        return true
    }

    /// - Returns: how many of these are known.
    mutating func take(_ count: Int, of code: FindingCode, in app: String) -> Int {
        let all = FindingIdentity.unlisted(code, in: app)
        guard let rest = counted[all] else { return 0 }
        counted[all] = max(0, rest - count)
        return min(rest, count)
    }

    func left(of apps: Set<String>) -> [(identity: FindingIdentity, count: Int)] {
        let all = left.merging(counted.filter { $0.value > 0 }) { $0 + $1 }
        return all.filter { apps.contains($0.key.app) }.sorted { $0.key < $1.key }
            .map { (identity: $0.key, count: $0.value) }
    }
}

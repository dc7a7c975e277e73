/// What a checkout says of its findings, in a file of its own: `.apphome.json`.
public struct ProjectSettings: Sendable, Equatable {
    public static let fileName = ".apphome.json"
    static let version = 1
    /// Of a file, in bytes.
    public static let sizeLimit = 1 << 20
    /// How many rules it may have.
    static let mostIgnores = 1000

    /// Findings that are no mistake here.
    public struct Ignore: Sendable, Equatable {
        /// nil: of any code, path, program.
        public let code: FindingCode?
        public let path: Glob?
        public let program: Glob?
        /// Why, for who reads the file.
        public let reason: String?

        public func matches(_ finding: Finding) -> Bool {
            (code == nil || code == finding.code) && (path?.matches(finding.path) ?? true)
                && (program.map { glob in finding.program.map(glob.matches) ?? false } ?? true)
        }

        /// Whether it is of all findings of a code, wherever they are.
        func covers(_ code: FindingCode) -> Bool {
            (self.code == nil || self.code == code) && path == nil && program == nil
        }

        /// For a person: `code LARGE, path Documents/*`.
        public var words: String {
            [
                code.map { "code " + $0.rawValue }, path.map { "path " + $0.pattern },
                program.map { "program " + $0.pattern },
            ].compactMap { $0 }.joined(separator: ", ")
        }
    }

    public var ignores: [Ignore] = []
    /// nil: nothing is said.
    public var failOn: Severity?

    public init() {}

    /// What is no mistake in any project. git asks for its own file in another case, to learn whether the
    /// file system tells cases apart, and does what is right either way.
    static let builtIn = [
        Ignore(code: nil, path: Glob("**/.git/CoNfIg"), program: nil, reason: "git's own probe")
    ]

    public init(reading bytes: [UInt8]) throws(FileDamage) {
        var file = try JSONMembers(JSONValue(reading: bytes), "the file")
        try file.version(Self.version)
        let rules = try file.list("ignore")
        guard rules.count <= Self.mostIgnores else {
            throw FileDamage("it has more than \(Self.mostIgnores) rules")
        }
        if let word = try file.text("failOn") {
            guard let severity = Severity(rawValue: word) else {
                throw FileDamage("failOn is \(word.shortened) and should be error, warning or note")
            }
            failOn = severity
        }
        try file.refuseOthers()
        for (index, rule) in rules.enumerated() {
            ignores.append(try Self.ignore(rule, "ignore \(index + 1)"))
        }
    }

    private static func ignore(_ value: JSONValue, _ name: String) throws(FileDamage) -> Ignore {
        var rule = try JSONMembers(value, name)
        let code = try rule.text("code")
        let path = try glob("path", in: &rule, name)
        let program = try glob("program", in: &rule, name)
        let reason = try rule.text("reason")
        try rule.refuseOthers()
        guard code != nil || path != nil || program != nil else {
            throw FileDamage("\(name) has no code, path or program, and would ignore everything")
        }
        let known = code.flatMap { FindingCode(rawValue: $0) }
        if let code, known == nil {
            throw FileDamage(
                "\(name): \(code.shortened) is no code of a finding; see: apphome doctor --explain list")
        }
        return Ignore(code: known, path: path, program: program, reason: reason)
    }

    private static func glob(
        _ key: String, in rule: inout JSONMembers, _ name: String
    ) throws(FileDamage) -> Glob? {
        guard let text = try rule.text(key) else { return nil }
        guard let glob = Glob(text) else {
            throw FileDamage("\(key) of \(name) is empty, or longer than \(Glob.lengthLimit) characters")
        }
        return glob
    }
}

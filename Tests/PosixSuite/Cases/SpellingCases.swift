internal import Glibc

/// Two ways to write what may be one name.
struct Spellings: Sendable {
    let name: String
    let one: String
    let other: String
    /// Whether they are one name on a device too, and not in the Simulator alone.
    let isOneOnDevice: Bool

    static let all = [
        Spellings(name: "normal form", one: "caf%C3%A9", other: "cafe%CC%81", isOneOnDevice: true),
        Spellings(name: "Kelvin", one: "%E2%84%AAelvin", other: "Kelvin", isOneOnDevice: true),
        Spellings(name: "case", one: "Letter", other: "lETTER", isOneOnDevice: false),
        Spellings(
            name: "case and normal form", one: "%C3%89tude.x", other: "e%CC%81TUDE.X", isOneOnDevice: false),
    ]

    /// As a listing shows the two.
    fileprivate func both(_ sign: String = "") -> String {
        [one, other].map { $0 + sign }.sorted().joined(separator: " ")
    }
}

/// A case of two spellings: what a file system shows that takes them for two names, and one that takes them
/// for one.
struct SpellingCase: Sendable {
    let name: String
    let steps: @Sendable (Spellings) -> [Step]
    let asTwo: @Sendable (Spellings) -> String
    let asOne: @Sendable (Spellings) -> String

    static let all = found + made + renamed + removed

    private static let found = [
        SpellingCase(name: "found") {
            [.create($0.one, "x"), .readFile($0.other), .stat($0.other, .kind), .list(".")]
        } asTwo: {
            "create ok; contents ENOENT; stat ENOENT; list \($0.one)"
        } asOne: {
            "create ok; contents 'x'; stat file; list \($0.one)"
        },
        SpellingCase(name: "absent, made, and absent again") {
            [
                .stat($0.other, .kind), .create($0.one), .stat($0.other, .kind), .unlink($0.one),
                .stat($0.other, .kind),
            ]
        } asTwo: { _ in
            "stat ENOENT; create ok; stat ENOENT; unlink ok; stat ENOENT"
        } asOne: { _ in
            "stat ENOENT; create ok; stat file; unlink ok; stat ENOENT"
        },
        SpellingCase(name: "of a directory above") {
            [
                .mkdir($0.one), .create($0.other + "/f", "x"), .readFile($0.one + "/f"),
                .symlink($0.other + "/f", "l"), .readFile("l"),
            ]
        } asTwo: { _ in
            "mkdir ok; create ENOENT; contents ENOENT; symlink ok; contents ENOENT"
        } asOne: { _ in
            "mkdir ok; create ok; contents 'x'; symlink ok; contents 'x'"
        },
        SpellingCase(name: "attributes of one item") {
            [
                .create($0.one, "hello"), .setAttribute($0.other, "user.a", "v"), .truncate($0.other, 2),
                .chmod($0.other, 0o600), .attribute($0.one, "user.a"), .stat($0.one, [.mode, .size]),
            ]
        } asTwo: { _ in
            "create ok; setxattr ENOENT; truncate ENOENT; chmod ENOENT; getxattr ENODATA; stat 0644 size 5"
        } asOne: { _ in
            "create ok; setxattr ok; truncate ok; chmod ok; getxattr 'v'; stat 0600 size 2"
        },
    ]

    private static let made = [
        SpellingCase(name: "created") {
            [.create($0.one, "1"), .create($0.other, "2"), .list("."), .readFile($0.one)]
        } asTwo: {
            "create ok; create ok; list \($0.both()); contents '1'"
        } asOne: {
            "create ok; create ok; list \($0.one); contents '2'"
        },
        SpellingCase(name: "taken") {
            [
                .create($0.one), .create("f"), .tryOpen($0.other, [.create, .exclusive, .write]),
                .mkdir($0.other), .symlink("x", $0.other), .mknod($0.other, S_IFIFO), .link("f", $0.other),
                .renameNoReplace("f", $0.other), .list("."),
            ]
        } asTwo: {
            "create ok; create ok; open ok; mkdir EEXIST; symlink EEXIST; mknod EEXIST; link EEXIST; "
                + "rename noreplace EEXIST; list \(([$0.one, $0.other, "f"]).sorted().joined(separator: " "))"
        } asOne: {
            "create ok; create ok; open EEXIST; mkdir EEXIST; symlink EEXIST; mknod EEXIST; link EEXIST; "
                + "rename noreplace EEXIST; list \(([$0.one, "f"]).sorted().joined(separator: " "))"
        },
        SpellingCase(name: "taken by a directory") {
            [.mkdir($0.one), .mkdir($0.other), .list(".")]
        } asTwo: {
            "mkdir ok; mkdir ok; list \($0.both("/"))"
        } asOne: {
            "mkdir ok; mkdir EEXIST; list \($0.one)/"
        },
        SpellingCase(name: "linked") {
            [.create($0.one), .link($0.other, "l"), .link("l", $0.other), .links($0.one)]
        } asTwo: { _ in
            "create ok; link ENOENT; link ENOENT; stat links 1"
        } asOne: { _ in
            "create ok; link ok; link EEXIST; stat links 2"
        },
    ]

    private static let renamed = [
        SpellingCase(name: "replaced") {
            [.create($0.one, "1"), .create("f", "2"), .rename("f", $0.other), .list("."), .readFile($0.one)]
        } asTwo: {
            "create ok; create ok; rename ok; list \($0.both()); contents '1'"
        } asOne: {
            "create ok; create ok; rename ok; list \($0.one); contents '2'"
        },
        SpellingCase(name: "a full directory not replaced") {
            [
                .mkdir($0.one), .create($0.one + "/f"), .mkdir("d"), .rename("d", $0.other), .list("."),
            ]
        } asTwo: {
            "mkdir ok; create ok; mkdir ok; rename ok; list \($0.both("/"))"
        } asOne: {
            "mkdir ok; create ok; mkdir ok; rename ENOTEMPTY; list "
                + [$0.one + "/", "d/"].sorted().joined(separator: " ")
        },
        SpellingCase(name: "exchanged") {
            [
                .create($0.one, "1"), .create("f", "2"), .exchange("f", $0.other), .readFile($0.one),
                .readFile("f"), .list("."),
            ]
        } asTwo: {
            "create ok; create ok; exchange ENOENT; contents '1'; contents '2'; list "
                + [$0.one, "f"].sorted().joined(separator: " ")
        } asOne: {
            "create ok; create ok; exchange ok; contents '2'; contents '1'; list "
                + [$0.one, "f"].sorted().joined(separator: " ")
        },
        SpellingCase(name: "renamed from the one to the other") {
            [
                .create($0.one), .renameNoReplace($0.one, $0.other), .rename($0.one, $0.other),
                .exchange($0.one, $0.other), .list("."),
            ]
        } asTwo: {
            "create ok; rename noreplace ok; rename ENOENT; exchange ENOENT; list \($0.other)"
        } asOne: {
            "create ok; rename noreplace EEXIST; rename ok; exchange ok; list \($0.one)"
        },
        SpellingCase(name: "a directory renamed from the one to the other") {
            [.mkdir($0.one), .create($0.one + "/f"), .rename($0.one, $0.other), .list("."), .list($0.other)]
        } asTwo: {
            "mkdir ok; create ok; rename ok; list \($0.other)/; list f"
        } asOne: {
            "mkdir ok; create ok; rename ok; list \($0.one)/; list f"
        },
        SpellingCase(name: "renamed by way of a third") {
            [
                .create($0.one, "x"), .setAttribute($0.one, "user.a", "v"), .rename($0.other, "t"),
                .rename("t", $0.other), .list("."), .attribute($0.one, "user.a"),
            ]
        } asTwo: {
            "create ok; setxattr ok; rename ENOENT; rename ENOENT; list \($0.one); getxattr 'v'"
        } asOne: {
            "create ok; setxattr ok; rename ok; rename ok; list \($0.other); getxattr 'v'"
        },
        SpellingCase(name: "moved to another directory") {
            [.mkdir($0.one), .mkdir("d"), .rename($0.other, "d/" + $0.other), .list("d"), .list(".")]
        } asTwo: {
            "mkdir ok; mkdir ok; rename ENOENT; list nothing; list "
                + [$0.one + "/", "d/"].sorted().joined(separator: " ")
        } asOne: {
            "mkdir ok; mkdir ok; rename ok; list \($0.other)/; list d/"
        },
    ]

    private static let removed = [
        SpellingCase(name: "removed") {
            [.create($0.one), .rmdir($0.other), .unlink($0.other), .list(".")]
        } asTwo: {
            "create ok; rmdir ENOENT; unlink ENOENT; list \($0.one)"
        } asOne: { _ in
            "create ok; rmdir ENOTDIR; unlink ok; list nothing"
        },
        SpellingCase(name: "a directory removed") {
            [.mkdir($0.one), .unlink($0.other), .rmdir($0.other), .list(".")]
        } asTwo: {
            "mkdir ok; unlink ENOENT; rmdir ENOENT; list \($0.one)/"
        } asOne: { _ in
            "mkdir ok; unlink EISDIR; rmdir ok; list nothing"
        },
    ]

    private init(
        name: String, steps: @escaping @Sendable (Spellings) -> [Step],
        asTwo: @escaping @Sendable (Spellings) -> String, asOne: @escaping @Sendable (Spellings) -> String
    ) {
        self.name = name
        self.steps = steps
        self.asTwo = asTwo
        self.asOne = asOne
    }

    fileprivate func name(_ spellings: Spellings) -> String { "\(spellings.name), \(name)" }
}

/// Every case with every two spellings.
let spellingCases = Case.group(
    "spelling",
    Spellings.all.flatMap { spellings in
        SpellingCase.all.map { Case($0.name(spellings), steps: $0.steps(spellings)) }
    })

extension Exception {
    /// Where names that are two to ext4 are one under `names`.
    static func ofSpellings(_ names: NameComparison) -> Exception {
        let spellings = Spellings.all.filter { names == .simulator || $0.isOneOnDevice }
        return Exception(
            "spellings of one name",
            reason: "normalisation is no difference in names on iOS, nor is case in the Simulator's",
            spellings.flatMap { spellings in
                SpellingCase.all.map { spelling in
                    (
                        "spelling/" + spelling.name(spellings),
                        [Pair(spelling.asTwo(spellings), mount: spelling.asOne(spellings))]
                    )
                }
            })
    }
}

import Testing

/// A row of the table in README.md's part about what breaks on a device: a mistake of a program, and what
/// shows it. `Tests/Runtimes` has the programs, each with a twin that is right.
struct Pain: CustomTestStringConvertible, Sendable {
    enum Language: CaseIterable { case mono, gnustep, swift, node }

    /// Its name in the program.
    let name: String
    let language: Language
    /// In words.
    let text: String
    /// What shows it. `COMMAND` is the program.
    let commands: [String]
    /// What `doctor` has of it, with the paths that it is found at.
    let codes: [String: [String]]
    /// What `run --report` and `watch` have of it.
    var events: [String] = []
    /// What the program says at the next start with its mistake, and without.
    var outcomes: (mistake: String, twin: String)?
    /// How the app is made.
    var options = ""
    /// How its twin is, where the mistake is the app's and not its program's.
    var twinOptions: String?
    /// What is done before the program starts.
    var preparation: [String] = []
    /// It has started before the commands. On two devices: both have what it left.
    var hasStarted = true
    /// It runs on two devices of one account, of which neither hears of the other meanwhile.
    var isOfTwoDevices = false

    var testDescription: String { name }
    /// What stands in the table, but for what is printed.
    var cells: [String] {
        let signals = (codes.keys.sorted() + events).map { "`\($0)`" }
        return [
            text, commands.map { "`\($0)`" }.joined(separator: ", "),
            isOfTwoDevices ? "a step on two devices" : signals.joined(separator: ", "),
        ]
    }
}

extension Pain {
    static let all = stored + kept + reached + shared

    static let doctor = "apphome doctor Notes"
    private static let report = "apphome run Notes --report -- COMMAND"

    private static let stored = [
        Pain(
            name: "stored-path", language: .mono,
            text: "1. The path of a file is stored (C#): an update makes it lead nowhere",
            commands: ["apphome install Notes.app", doctor],
            codes: ["CONTAINER-PATH": ["Library/last-photo.txt"]],
            outcomes: (mistake: "DirectoryNotFoundException", twin: "a photo"),
            preparation: [#"cp -r "$APPHOME_DEVICE"/Containers/Bundle/Application/*/Notes.app ."#]),
        Pain(
            name: "wrong-case", language: .gnustep,
            text: "2. A file is asked for in another case (Objective-C), as a Mac and the Simulator allow",
            commands: [report], codes: ["CASE-NEAR-MISS": ["Notes.app/recipes.plist"]],
            events: ["case-near-miss"], hasStarted: false),
        Pain(
            name: "copied-resource", language: .mono,
            text: "3. A file of the bundle is copied to Documents (C#), and into every backup",
            commands: [doctor], codes: ["RE-CREATABLE": ["Documents/Recipes.plist"]]),
        Pain(
            name: "large-download", language: .mono,
            text: "3. A download is kept in Documents (C#), which App Review turns down (2.23)",
            commands: [doctor], codes: ["LARGE": ["Documents/map.bin"]]),
    ]

    private static let kept = [
        Pain(
            name: "write-in-bundle", language: .gnustep,
            text: "4. A file is written beside the program, in the bundle (Objective-C)",
            commands: [report], codes: ["REFUSED": ["Notes.app/Favourites.plist"]], events: ["refused"],
            hasStarted: false),
        Pain(
            name: "lost-flag", language: .gnustep,
            text: "5. An atomic save puts a file without its skip-backup flag in its place (Objective-C)",
            commands: [report], codes: ["FLAG-LOST": ["Documents/catalogue.txt"]],
            events: ["skip-backup-lost"], hasStarted: false),
        Pain(
            name: "data-in-caches", language: .swift,
            text: "6. What a person has written lies in Caches alone (Swift), and is purged",
            commands: [doctor, "apphome purge --app Notes", report],
            codes: ["PURGEABLE": ["Library/Caches/draft.txt"]], events: ["purged-missed"],
            outcomes: (mistake: "draft.txt is gone", twin: "Dear")),
        Pain(
            name: "picked-in-tmp", language: .swift,
            text: "7. A file that a picker has put into tmp stays there (Swift), and is gone later",
            commands: [doctor, "apphome purge --app Notes", report],
            codes: ["PURGEABLE": ["tmp/receipt.pdf"]], events: ["purged-missed"],
            outcomes: (mistake: "receipt.pdf is gone", twin: "a receipt")),
    ]

    private static let reached = [
        Pain(
            name: "top-level", language: .node,
            text: "8. A file is written at the home's top level (Node)",
            commands: [report], codes: ["REFUSED": ["settings.json"]], events: ["refused"],
            hasStarted: false),
        Pain(
            name: "absolute-tmp", language: .node,
            text: "8. A file is written to /tmp (Node)",
            commands: [report], codes: ["OUTSIDE-HOME": ["/tmp/upload.bin"]], events: ["outside-home"],
            hasStarted: false),
        Pain(
            name: "missing-document", language: .swift,
            text: "9. A document that is not here yet is taken for missing, and made anew (Swift)",
            commands: ["apphome cloud conflicts Notes"], codes: [:], hasStarted: false, isOfTwoDevices: true),
        Pain(
            name: "one-file-for-all", language: .swift,
            text: "10. Two devices write one file apart from each other (Swift), and an edit is lost",
            commands: ["apphome cloud conflicts Notes"], codes: [:], isOfTwoDevices: true),
    ]

    private static let shared = [
        Pain(
            name: "group", language: .swift,
            text: "11. The app's entitlements do not name its group: it is nil (Swift)",
            commands: ["apphome group path Notes group.org.example", "apphome run Notes -- COMMAND"],
            codes: ["GROUP-REFUSED": ["group.org.example"]],
            outcomes: (mistake: "no group", twin: "saved"), twinOptions: "--group group.org.example",
            hasStarted: false),
        Pain(
            name: "shared-database", language: .mono,
            text: "12. One of the two sharing keys is missing: Files does not show the app",
            commands: [doctor], codes: ["SHARING-HALF": ["Notes.app/Info.plist"]],
            options: "--share", twinOptions: "--share --files"),
        Pain(
            name: "shared-database", language: .mono,
            text: "12. A database lies in Documents (C#), and they are shared",
            commands: [doctor], codes: ["EXPOSED": ["Documents/accounts.db"]], options: "--share --files"),
        Pain(
            name: "shared-database", language: .mono,
            text: "12. The same, before an update shares them",
            commands: [doctor], codes: ["EXPOSED-LATER": ["Documents/accounts.db"]]),
        Pain(
            name: "inbox", language: .mono,
            text: "12. An answer is written into Documents/Inbox (C#), where the system alone writes",
            commands: [report], codes: ["REFUSED": ["Documents/Inbox/answer.txt"]], events: ["refused"],
            options: "--share --files",
            preparation: ["echo Hello > mail.txt; apphome share put Notes --inbox mail.txt"],
            hasStarted: false),
    ]
}

import SandboxRules
import Testing

@Suite("Access rule")
struct AccessRuleTests {
    // MARK: SPEC, sentence by sentence

    @Test("Bundle: every change is refused, to the directory itself and to all in it")
    func bundle() {
        for operation in AppOperation.allCases {
            #expect(AccessRule.refusal(of: operation, in: .bundle, item: .bundle) != nil)
            #expect(AccessRule.refusal(of: operation, in: .home, item: .bundle) != nil)
        }
    }

    @Test("Top level: the app can create, rename and delete nothing there")
    func topLevel() {
        for operation in AppOperation.allCases where operation != .modify {
            for item in Place.allCases {
                #expect(AccessRule.refusal(of: operation, in: .home, item: item) != nil)
            }
        }
    }

    @Test("The home directory itself is not the app's to change")
    func homeItself() {
        #expect(AccessRule.refusal(of: .modify, in: .home, item: .home) == .homeTopLevel)
    }

    @Test("The standard directories cannot be made, removed or renamed; their attributes can be set")
    func standardDirectories() {
        let directories: [(parent: Place, item: Place)] = [
            (.home, .documents), (.home, .library), (.home, .temporary), (.library, .preferences),
            (.library, .caches),
        ]
        for (parent, item) in directories {
            for operation in [AppOperation.create, .remove, .renameFrom, .renameTo, .exchange] {
                #expect(AccessRule.refusal(of: operation, in: parent, item: item) == .standardDirectory)
            }
            #expect(AccessRule.refusal(of: .modify, in: parent, item: item) == nil)
        }
    }

    @Test("SystemData is the system's")
    func systemData() {
        for operation in AppOperation.allCases {
            #expect(AccessRule.refusal(of: operation, in: .home, item: .systemData) != nil)
            #expect(AccessRule.refusal(of: operation, in: .systemData, item: .systemData) == .systemData)
        }
    }

    @Test("Inbox: the app may delete in it and move out of it, and nothing else")
    func inbox() {
        for operation in AppOperation.allCases {
            let refusal = AccessRule.refusal(of: operation, in: .inbox, item: .inbox)
            #expect((refusal == nil) == (operation == .remove || operation == .renameFrom))
        }
    }

    @Test("Inbox: the app neither makes nor renames nor removes nor changes the directory itself")
    func inboxItself() {
        for operation in AppOperation.allCases {
            #expect(AccessRule.refusal(of: operation, in: .documents, item: .inbox) != nil)
        }
    }

    @Test("Links: link(2) out of or into the bundle or Inbox is refused")
    func links() {
        for place in [Place.bundle, .inbox] {
            #expect(AccessRule.refusal(of: .linkFrom, in: place, item: place) == .linkAcrossAreas)
            #expect(AccessRule.refusal(of: .linkTo, in: place, item: place) != nil)
        }
        #expect(AccessRule.refusal(of: .linkFrom, in: .documents, item: .free) == nil)
        #expect(AccessRule.refusal(of: .linkTo, in: .library, item: .free) == nil)
    }

    @Test("Rename out of Inbox is allowed; into it, within it, and EXCHANGE with it are refused")
    func renames() {
        func rename(_ from: Place, _ to: Place) -> Refusal? {
            AccessRule.refusal(of: .renameFrom, in: from, item: from == .inbox ? .inbox : .free)
                ?? AccessRule.refusal(of: .renameTo, in: to, item: to == .inbox ? .inbox : .free)
        }
        #expect(rename(.inbox, .documents) == nil)
        #expect(rename(.inbox, .free) == nil)
        #expect(rename(.documents, .inbox) == .inboxIsReadAndDelete)
        #expect(rename(.inbox, .inbox) == .inboxIsReadAndDelete)
        #expect(AccessRule.refusal(of: .exchange, in: .inbox, item: .inbox) == .inboxIsReadAndDelete)
    }

    @Test("A file that is moved out of Inbox can be changed, one that is there cannot")
    func areaIsThatOfTheCurrentParent() {
        #expect(AccessRule.refusalToModify(.inbox) == .inboxIsReadAndDelete)
        #expect(AccessRule.refusalToModify("letter.pdf".place(in: .inbox, isDirectory: false)) != nil)
        #expect(AccessRule.refusalToModify("letter.pdf".place(in: .documents, isDirectory: false)) == nil)
    }

    @Test("Every refusal says its rule in one line of its own")
    func texts() {
        let texts = Refusal.allCases.map(\.description)
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { !$0.isEmpty && !$0.contains("\n") })
    }

    // MARK: The whole rule

    /// A row: the item's place; then create, remove, renameFrom, renameTo, exchange, linkFrom, linkTo,
    /// modify. `.` allowed, `B` bundle, `T` top level, `S` standard directory, `I` Inbox, `L` link,
    /// `Y` the system's, `K` SyncedPreferences.
    /// Rows that no tree can hold stand here too: they must be refused wherever either place refuses.
    private static let tables: [(directories: [Place], rows: [(item: Place, outcomes: String)])] = [
        (
            [.home],
            [
                (.home, "TTTTTTTT"), (.bundle, "BBBBBBBB"), (.documents, "SSSSSSS."), (.inbox, "TTTTTTTI"),
                (.library, "SSSSSSS."), (.preferences, "SSSSSSS."), (.caches, "SSSSSSS."),
                (.temporary, "SSSSSSS."), (.systemData, "TTTTTTTY"), (.group, "TTTTTTT."),
                (.free, "TTTTTTT."), (.syncedPreferences, "TTTTTTTK"),
            ]
        ),
        (
            [.bundle],
            [
                (.home, "BBBBBLBT"), (.bundle, "BBBBBLBB"), (.documents, "BBBBBLB."), (.inbox, "BBBBBLBI"),
                (.library, "BBBBBLB."), (.preferences, "BBBBBLB."), (.caches, "BBBBBLB."),
                (.temporary, "BBBBBLB."), (.systemData, "BBBBBLBY"), (.group, "BBBBBLB."),
                (.free, "BBBBBLB."), (.syncedPreferences, "BBBBBLBK"),
            ]
        ),
        (
            [.inbox],
            [
                (.home, "I..IILIT"), (.bundle, "I..IILIB"), (.documents, "I..IILI."), (.inbox, "I..IILII"),
                (.library, "I..IILI."), (.preferences, "I..IILI."), (.caches, "I..IILI."),
                (.temporary, "I..IILI."), (.systemData, "I..IILIY"), (.group, "I..IILI."),
                (.free, "I..IILI."), (.syncedPreferences, "I..IILIK"),
            ]
        ),
        (
            [.systemData],
            [
                (.home, "YYYYYYYT"), (.bundle, "YYYYYYYB"), (.documents, "YYYYYYY."), (.inbox, "YYYYYYYI"),
                (.library, "YYYYYYY."), (.preferences, "YYYYYYY."), (.caches, "YYYYYYY."),
                (.temporary, "YYYYYYY."), (.systemData, "YYYYYYYY"), (.group, "YYYYYYY."),
                (.free, "YYYYYYY."), (.syncedPreferences, "YYYYYYYK"),
            ]
        ),
        (
            [.syncedPreferences],
            [
                (.home, "KKKKKKKT"), (.bundle, "KKKKKKKB"), (.documents, "KKKKKKK."), (.inbox, "KKKKKKKI"),
                (.library, "KKKKKKK."), (.preferences, "KKKKKKK."), (.caches, "KKKKKKK."),
                (.temporary, "KKKKKKK."), (.systemData, "KKKKKKKY"), (.group, "KKKKKKK."),
                (.free, "KKKKKKK."), (.syncedPreferences, "KKKKKKKK"),
            ]
        ),
        (
            [.documents, .library, .preferences, .caches, .temporary, .group, .free],
            [
                (.home, "TTTTTTTT"), (.bundle, "BBBBBBBB"), (.documents, "SSSSSSS."), (.inbox, "SSSSSSSI"),
                (.library, "SSSSSSS."), (.preferences, "SSSSSSS."), (.caches, "SSSSSSS."),
                (.temporary, "SSSSSSS."), (.systemData, "YYYYYYYY"), (.group, "TTTTTTT."),
                (.free, "........"), (.syncedPreferences, "KKKKKKKK"),
            ]
        ),
    ]

    private static let letters: [Character: Refusal] = [
        "B": .bundleIsSigned, "T": .homeTopLevel, "S": .standardDirectory, "I": .inboxIsReadAndDelete,
        "L": .linkAcrossAreas, "Y": .systemData, "K": .syncedPreferences,
    ]

    @Test("The rule is the table: every operation, in every directory, on every item")
    func table() {
        var compared = 0
        for (directories, rows) in Self.tables {
            for directory in directories {
                for (item, outcomes) in rows {
                    #expect(outcomes.count == AppOperation.allCases.count)
                    for (operation, outcome) in zip(AppOperation.allCases, outcomes) {
                        let refusal = AccessRule.refusal(of: operation, in: directory, item: item)
                        #expect(refusal == Self.letters[outcome], "\(operation) \(item) in \(directory)")
                        compared += 1
                    }
                }
            }
        }
        #expect(compared == AppOperation.allCases.count * Place.allCases.count * Place.allCases.count)
    }
}

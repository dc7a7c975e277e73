import SandboxRules
import Testing

@Suite("Places")
struct PlaceTests {
    @Test(
        "Each directory of a home has its place",
        arguments: [
            (Place.home, "Documents", Place.documents), (.home, "Library", .library),
            (.home, "tmp", .temporary), (.home, "SystemData", .systemData),
            (.home, "Notes.app", .bundle), (.home, "GeoJSON", .systemData), (.home, ".app", .bundle),
            (.documents, "Inbox", .inbox), (.documents, "Letters", .free),
            (.documents, "Documents", .free), (.documents, "Notes.app", .free),
            (.library, "Preferences", .preferences), (.library, "Caches", .caches),
            (.library, "Application Support", .free), (.library, "SyncedPreferences", .syncedPreferences),
            (.library, "Inbox", .free), (.preferences, "Caches", .free), (.caches, "Caches", .free),
            (.temporary, "Documents", .free), (.group, "Library", .free), (.group, "Documents", .free),
            (.free, "Inbox", .free), (.free, "Caches", .free), (.free, "SystemData", .free),
            (.bundle, "Base.lproj", .bundle), (.bundle, "Documents", .bundle),
            (.inbox, "folder", .inbox), (.inbox, "Inbox", .inbox),
            (.syncedPreferences, "a.plist", .syncedPreferences), (.systemData, "x", .systemData),
        ])
    func directories(parent: Place, name: String, expected: Place) {
        #expect(name.place(in: parent) == expected)
    }

    @Test("A file at the top level is never a standard directory or the bundle, whatever its name")
    func filesAtTheTop() {
        for name in ["Documents", "Library", "tmp", "Notes.app", "readme.txt"] {
            #expect(name.place(in: .home, isDirectory: false) == .systemData)
        }
    }

    @Test("Inbox, Preferences and Caches are reserved for every kind of item, only in their own parent")
    func reservedNames() {
        #expect("Inbox".place(in: .documents, isDirectory: false) == .inbox)
        #expect("Preferences".place(in: .library, isDirectory: false) == .preferences)
        #expect("Caches".place(in: .library, isDirectory: false) == .caches)
        #expect("SyncedPreferences".place(in: .library, isDirectory: false) == .syncedPreferences)
        #expect("Inbox".place(in: .free, isDirectory: false) == .free)
    }

    @Test("A device knows the directories by their exact case only; nothing longer or shorter will do")
    func exactCase() {
        for name in ["inbox", "INBOX", "Inbox ", "Inbo", "Inboxes", "", "\u{399}nbox"] {
            #expect(name.place(in: .documents) == .free)
        }
        #expect("documents".place(in: .home) == .systemData)
        #expect("inbox".place(in: .documents, under: .legacy) == .free)
    }

    @Test("The simulator knows the directories in any case, the long s included")
    func anyCase() {
        #expect("INBOX".place(in: .documents, under: .simulator) == .inbox)
        #expect("documentS".place(in: .home, under: .simulator) == .documents)
        #expect("Document\u{17F}".place(in: .home, under: .simulator) == .documents)
        #expect("cacheſ".place(in: .library, under: .simulator) == .caches)
        #expect("Inb\u{F6}x".place(in: .documents, under: .simulator) == .free)
        #expect("Inbo".place(in: .documents, under: .simulator) == .free)
    }

    @Test("SystemData and a container's metadata are not visible to the app, and nothing else is hidden")
    func hidden() {
        let metadata = Place.metadataFileName.description
        func hides(_ place: Place, _ name: String, _ policy: NamePolicy = .device) -> Bool {
            name.withNameBytes { place.hidesFromApp(child: $0, under: policy) }
        }
        #expect(hides(.home, "SystemData"))
        #expect(hides(.home, metadata))
        #expect(hides(.group, metadata))
        #expect(!hides(.home, "systemdata"))
        #expect(hides(.home, "systemdata", .simulator))
        #expect(!hides(.group, "SystemData"))
        for name in ["Documents", "Library", "tmp", "Notes.app", "GeoJSON", ".hidden"] {
            #expect(!hides(.home, name))
        }
        for place in Place.allCases where place != .home && place != .group {
            #expect(!hides(place, "SystemData") && !hides(place, metadata))
        }
    }

    @Test("The app cannot put its own file in the place of a group container's metadata")
    func groupMetadata() {
        let place = Place.metadataFileName.description.place(in: .group, isDirectory: false)
        #expect(AccessRule.refusal(of: .create, in: .group, item: place) == .systemData)
    }

    @Test("Arbitrary bytes as a name are no standard directory and no harm")
    func arbitraryBytes() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                UInt8.random(in: 128...255, using: &generator)
            }
            bytes.withUnsafeBytes { name in
                for policy in NamePolicy.allCases {
                    #expect(Place.documents.place(ofChild: name, isDirectory: true, under: policy) == .free)
                }
            }
        }
    }
}

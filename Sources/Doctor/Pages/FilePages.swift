extension FindingCode {
    public var page: CodePage {
        switch self {
        case .containerPath: .containerPath
        case .caseNearMiss: .caseNearMiss
        case .caseSaved: .caseSaved
        case .refused: .refused
        case .groupRefused: .groupRefused
        case .flagLost: .flagLost
        case .outsideHome: .outsideHome
        case .bundleChanged: .bundleChanged
        case .nameCase: .nameCase
        case .nameForm: .nameForm
        case .nameBackslash: .nameBackslash
        case .reCreatable: .reCreatable
        case .large: .large
        case .exposed: .exposed
        case .exposedLater: .exposedLater
        case .homeDotFile: .homeDotFile
        case .purgeable: .purgeable
        case .purgedMissed: .purgedMissed
        case .backupSize: .backupSize
        case .preferencesFile: .preferencesFile
        case .sharingHalf: .sharingHalf
        case .noUbiquity: .noUbiquity
        case .noKeyValueStore: .noKeyValueStore
        case .keyValuesFull: .keyValuesFull
        case .dataless: .dataless
        case .unexamined: .unexamined
        }
    }
}

/// What is wrong with what a file holds, or with its name.
extension CodePage {
    static let containerPath = CodePage(
        severity: .error, title: "the path of a container is stored",
        device: """
            The directory of an app, of its data and of a group is called by a UUID, and gets another one by \
            an update, a reinstallation or a restore. What is in tmp is not looked at: no update keeps it.
            """,
        why: "The UUID changes with the app's next update or restore, and the path then leads nowhere.",
        fix: """
            Store the part below the directory (Documents/a.txt), and put the directory before it at each \
            start: NSHomeDirectory(), url(for:in:), Environment.GetFolderPath, containerURL(…) for a group.
            """,
        source: """
            Apple, Technical Note TN2406; iPhone OS Programming Guide, what an update moves. Any UUID of a \
            container of this device counts, now or earlier, and any in a path as iOS makes it. Looked \
            through: files (UTF-8 and UTF-16), property lists, tables of SQLite databases, links.
            """)
    static let nameCase = CodePage(
        severity: .warning, title: "two names differ only by case",
        device: "A device tells case apart. The Simulator, a Mac, Windows and most clouds do not.",
        why: "Both are there on a device; in the Simulator and on a Mac one takes the other's place.",
        fix: "Choose one spelling and use it everywhere, or number the names.",
        source: "Apple, File System Programming Guide; APFS Guide, frequently asked questions.")
    static let nameForm = CodePage(
        severity: .error, title: "two names are one in another Unicode form",
        device: "Since iOS 11 a name can be found in any Unicode form, and no two forms lie side by side.",
        why: "A device has one of the two: the other is not there, or replaced it.",
        fix: "Rename one of them; compare names in one form (precomposedStringWithCanonicalMapping).",
        source: "Apple, APFS Guide, frequently asked questions.")
    static let nameBackslash = CodePage(
        severity: .warning, title: "a name has a backslash in it",
        device: "A backslash is a character like any other: A\\B.txt is one file, and no folder A.",
        why: "A path with Windows' separator was used: the file does not lie in the folder it should lie in.",
        fix: "Join paths with Path.Combine, appendingPathComponent or \"/\".",
        source: "POSIX; APFS forbids only the slash and NUL.")
    static let preferencesFile = CodePage(
        severity: .warning, title: "Library/Preferences holds what is no property list",
        device: "The directory belongs to the system's preferences, which it reads and rewrites by itself.",
        why: "An app is to make no files there by itself, and what is no property list is nobody's.",
        fix:
            "Use UserDefaults (NSUserDefaults) for preferences, Library/Application Support for other files.",
        source: "Apple, File System Programming Guide, table of directories.")
    static let dataless = CodePage(
        severity: .note, title: "the contents are in the cloud alone, and were not looked at",
        device: "A document may be there by name while its bytes are fetched at the first read.",
        why: "What the file holds is not known here.",
        fix: "apphome doctor --download fetches such files and looks at them.",
        source: "Apple, NSURLUbiquitousItemDownloadingStatusKey.")
    static let unexamined = CodePage(
        severity: .note, title: "could not be looked at",
        device: "Nothing: this is about the check.",
        why: "What a file holds, or what a program did, is not known here: nothing says that it is in order.",
        fix: """
            Close the app or let it finish what it does, and look again. Of an encrypted database ask the \
            app itself: no stored value may begin with its directory. Where programs did more than could be \
            followed: apphome doctor --clear, and run them one by one.
            """,
        source: "apphome doctor.")
}

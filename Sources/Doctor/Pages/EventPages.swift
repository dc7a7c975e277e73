/// What programs did, as it was seen when they did it.
extension CodePage {
    static let caseNearMiss = CodePage(
        severity: .error, title: "a file was not found, for its case alone",
        device: "A device tells case apart: icon.png is not Icon.png. The Simulator and a Mac do not.",
        why: "What is found in the Simulator and on a Mac is not there on a device.",
        fix: "Write the name as the file has it, in code and in data, or rename the file.",
        source: """
            Apple, File System Programming Guide; APFS Guide, frequently asked questions. Remembered from \
            when it happened, until apphome doctor --clear.
            """)
    static let caseSaved = CodePage(
        severity: .error, title: "a file was found though its case is another",
        device: "A device tells case apart: icon.png is not Icon.png. The Simulator and a Mac do not.",
        why: "This device has names as in the Simulator (names simulator); another one finds nothing.",
        fix: "Write the name as the file has it, in code and in data, or rename the file.",
        source: """
            Apple, File System Programming Guide; APFS Guide, frequently asked questions. Remembered from \
            when it happened, until apphome doctor --clear.
            """)
    static let refused = CodePage(
        severity: .error, title: "a program did what a device refuses",
        device: """
            The bundle is signed, and nobody writes to it. An app makes nothing at the top of its home, and \
            no standard directory; it reads and deletes in Documents/Inbox. Names are UTF-8.
            """,
        why: "The call fails on a device with the same error, whatever the program then does.",
        fix: """
            Copy a file of the bundle to Library/Application Support before it is changed, and open a \
            database that stays there read-only (SQLITE_OPEN_READONLY); keep files in Documents, Library \
            or tmp.
            """,
        source: """
            Apple, File System Programming Guide, iOS standard directories. What tools try and do without is \
            left out: a shell's history at the home's top, Python's __pycache__. apphome watch shows those \
            too. Remembered from when it happened, until apphome doctor --clear.
            """)
    static let groupRefused = CodePage(
        severity: .error, title: "a group was asked for that the app is not in",
        device: "containerURL(forSecurityApplicationGroupIdentifier:) returns nil without the entitlement.",
        why: "The app and its extensions do not find each other's data, or end by the nil.",
        fix: """
            Name the group in com.apple.security.application-groups, in the entitlements of the app and of \
            each extension, spelled alike.
            """,
        source: """
            Apple, App Groups Entitlement. Remembered from when it was asked, until apphome doctor --clear.
            """)
    static let flagLost = CodePage(
        severity: .warning, title: "the skip-backup flag was lost by a save or a move",
        device: """
            The flag belongs to the file and not to its name. A save that writes a new file and renames it \
            over the old one (atomically, as most libraries do) leaves a file without the flag.
            """,
        why: "From then on the file is in each backup; App Review turns that down where it is large (2.23).",
        fix: """
            Set it after each save (isExcludedFromBackup, NSFileManager.SetSkipBackupAttribute), or flag the \
            directory and save within it.
            """,
        source: """
            Apple, QA1719; NSURLIsExcludedFromBackupKey. Remembered from when it happened, until apphome \
            doctor --clear.
            """)
    static let outsideHome = CodePage(
        severity: .warning, title: "a program left something outside of its home",
        device: "An app may write to its home and its groups only; /tmp is no place of its own there.",
        why: "On a device it cannot be written there. Here it is gone when the program has ended.",
        fix: """
            Take the directory for temporary files from the system (NSTemporaryDirectory(), \
            Path.GetTempPath(), TMPDIR), and never write /tmp.
            """,
        source: """
            Apple, File System Programming Guide, iOS standard directories. Of what apphome run ran in its \
            sandbox: /tmp and /dev/shm, as they were at the end. Remembered until apphome doctor --clear.
            """)
}

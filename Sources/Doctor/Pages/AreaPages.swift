/// What lies in the wrong place, and what an app says of itself.
extension CodePage {
    static let bundleChanged = CodePage(
        severity: .error, title: "a file of the bundle is not as it was installed",
        device: "The bundle is signed. A device refuses to start an app whose bundle was changed.",
        why: "The signature does not fit what is there: a device would not start the app.",
        fix: "Install the app again; write to Documents or Library, and never to the bundle.",
        source: "Apple, File System Programming Guide, AppName.app.")
    static let reCreatable = CodePage(
        severity: .warning, title: "Documents holds a copy of a file of the bundle",
        device: "All of Documents goes into the backup and, with iCloud, to each device of the person.",
        why: "What the app can make again fills people's backups: App Review turns that down (2.23).",
        fix: "Read it from the bundle, or keep the copy in Library/Caches, or flag it (skip-backup).",
        source: "Apple, iOS Data Storage Guidelines; QA1719.")
    static let large = CodePage(
        severity: .warning, title: "Documents holds a large file that is backed up",
        device: "All of Documents goes into the backup and, with iCloud, to each device of the person.",
        why: "If the app can download or make it again, App Review turns that down (2.23): from 2.75 MB on.",
        fix: """
            Leave it if a person made it. Else keep it in Library/Caches, or flag it after each save: \
            isExcludedFromBackup, NSFileManager.SetSkipBackupAttribute, apphome skip-backup set.
            """,
        source: "Apple, iOS Data Storage Guidelines; QA1719. The size is --large.")
    static let exposed = CodePage(
        severity: .warning, title: "shared Documents hold what no person should handle",
        device: """
            With UIFileSharingEnabled or LSSupportsOpeningDocumentsInPlace people see Documents, copy, \
            rename and delete what is in it.
            """,
        why: "A person can copy, damage or delete it: the app's data with one tap.",
        fix: "Keep databases and private files in Library/Application Support, people's files in Documents.",
        source: "Apple, Information Property List, UIFileSharingEnabled.")
    static let exposedLater = CodePage(
        severity: .note, title: "Documents hold what no person should handle, once they are shared",
        device: "With UIFileSharingEnabled, one key of Info.plist, all of Documents is shown to people.",
        why: "An update that turns sharing on shows it to everybody who has the app already.",
        fix: "Keep databases and private files in Library/Application Support, people's files in Documents.",
        source: "Apple, Information Property List, UIFileSharingEnabled.")
    static let homeDotFile = CodePage(
        severity: .note, title: "Documents hold the settings of a program",
        device: """
            .NET and Mono take Documents for HOME on iOS, so ApplicationData is Documents/.config there: it \
            is backed up, syncs, and is shared.
            """,
        why: "Settings and caches of a library go where people's documents are.",
        fix: "Name the directory yourself, below Library: Path.Combine(home, \"Library\", …).",
        source: "Microsoft, File system access in Xamarin.iOS; .NET 8, breaking changes of GetFolderPath.")
    static let purgeable = CodePage(
        severity: .note, title: "data lies where the system may delete it, and nowhere else",
        device: """
            Library/Caches may be emptied while the app does not run, and is gone after a restore; tmp is \
            emptied at will. Neither is backed up.
            """,
        why: "The app must be able to do without it at any start.",
        fix: "Keep what people made in Documents, what cannot be made again in Application Support.",
        source: "Apple, File System Programming Guide. Try it: apphome purge --app APP.")
    static let purgedMissed = CodePage(
        severity: .warning, title: "the app looked for what a purge took, and did not make it again",
        device: """
            Library/Caches and tmp are emptied while the app does not run, when the device is short of room. \
            The next start finds them empty.
            """,
        why: "What the app counted on is gone, and stays so.",
        fix: """
            Make it again where it is missing; keep what cannot be made again in Library/Application Support.
            """,
        source: "Apple, File System Programming Guide. Found by: apphome ci-check --purge-and-again.")
    static let backupSize = CodePage(
        severity: .error, title: "a backup of the app would hold more than it may",
        device: "Documents and Library, but for Caches and what is flagged, go into each backup.",
        why: "It fills people's iCloud storage, and App Review turns down what could be made again (2.23).",
        fix: """
            Keep what can be made again in Library/Caches, or flag it (skip-backup); see: apphome backup \
            create --dry-run.
            """,
        source: "Apple, iOS Data Storage Guidelines. The size is ci-check --max-backup.")
    static let sharingHalf = CodePage(
        severity: .warning, title: "of the two keys that share Documents one is missing",
        device: "The Files app shows an app's Documents only if Info.plist has both keys.",
        why: "Documents do not appear in Files: half of the setting does nothing there.",
        fix: "Set UIFileSharingEnabled and LSSupportsOpeningDocumentsInPlace both, or neither.",
        source: "Apple, Information Property List, LSSupportsOpeningDocumentsInPlace.")
    static let noUbiquity = CodePage(
        severity: .note, title: "Documents sync here, and would not on a device",
        device: "Without the entitlement the app gets null for its container in iCloud, and nothing syncs.",
        why: "What works between devices here does not work on a device.",
        fix: """
            Give the app com.apple.developer.ubiquity-container-identifiers, or switch its sync off: apphome \
            cloud off APP.
            """,
        source: "Apple, url(forUbiquityContainerIdentifier:).")
    static let noKeyValueStore = CodePage(
        severity: .note, title: "the key-value store works here, and would not on a device",
        device: "Without the entitlement nothing of NSUbiquitousKeyValueStore leaves the device.",
        why: "What works between devices here does not work on a device.",
        fix: "Give the app com.apple.developer.ubiquity-kvstore-identifier.",
        source: "Apple, NSUbiquitousKeyValueStore, synchronize().")
    static let keyValuesFull = CodePage(
        severity: .warning, title: "the key-value store is nearly full",
        device: "It holds 1 MB in 1024 keys (iOS 5: 64 KB); what is more is not set.",
        why: "A set that is over the limit fails, and nothing but a notification with reason 2 says so.",
        fix: "Keep settings there, and what grows with use in a document; remove keys that are not read.",
        source: "Apple, NSUbiquitousKeyValueStore. The limits are device set kvs-limits.")
}

import SandboxRules
import Testing

@Suite("Backup rule")
struct BackupRuleTests {
    @Test(
        "Included: Documents and Library",
        arguments: [
            "", "Documents", "Documents/a", "Documents/Inbox/a.pdf", "Documents/tmp/a",
            "Documents/Library/Caches/a",
            "Library", "Library/Preferences/x.plist", "Library/Application Support", "Library/Cookies/c",
            "Library/Caches2", "Library/CachesAndMore/x", "Library/caches/x",
            "Library/WebKit/Library/Caches/x",
        ])
    func included(path: String) {
        #expect(BackupRule.includes(relativePath: path, kind: .directory))
    }

    @Test(
        "Excluded: bundle, tmp, the system's directories, SystemData",
        arguments: [
            ("Notes.app", BackupRule.Exclusion.outsideRoots), ("Notes.app/Info.plist", .outsideRoots),
            ("tmp", .outsideRoots), ("tmp/a", .outsideRoots), ("SystemData", .outsideRoots),
            ("SystemData/com.apple.chrono", .outsideRoots), ("GeoJSON/a", .outsideRoots),
            ("Documents2", .outsideRoots), ("documents/a", .outsideRoots), ("DocumentsX/a", .outsideRoots),
            (".com.apple.mobile_container_manager.metadata.plist", .outsideRoots),
            ("Library/Caches", .systemDirectory), ("Library/Caches/a/b", .systemDirectory),
            ("Library/SyncedPreferences", .systemDirectory),
            ("Library/SyncedPreferences/x.plist", .systemDirectory),
            ("Library/SplashBoard/s", .systemDirectory),
            ("Library/Saved Application State/x.savedState", .systemDirectory),
        ])
    func excluded(path: String, exclusion: BackupRule.Exclusion) {
        for kind in ItemKind.allCases {
            #expect(BackupRule.exclusion(of: path, kind: kind) == exclusion)
        }
    }

    @Test("A group is included whole, but for the same directories and its metadata")
    func group() {
        for path in [
            "", "tmp/a", "anything", "Documents/a", "Library/Preferences/x.plist", "SystemData/mine",
        ] {
            #expect(BackupRule.includes(relativePath: path, kind: .directory, in: .group))
        }
        let excluded = [
            ".com.apple.mobile_container_manager.metadata.plist", "Library/Caches/a", "Library/SplashBoard",
            "Library/Saved Application State", "Library/SyncedPreferences/x", "SystemData/com.apple.chrono/x",
            "SystemData/com.apple.AuthenticationServices",
        ]
        for path in excluded {
            #expect(BackupRule.exclusion(of: path, kind: .directory, in: .group) == .systemDirectory)
        }
    }

    @Test("Files, directories and symlinks are held; sockets, fifos and devices are not")
    func kinds() {
        for kind in [ItemKind.file, .directory, .symlink] {
            #expect(BackupRule.includes(relativePath: "Documents/a", kind: kind))
        }
        #expect(BackupRule.exclusion(of: "Documents/a", kind: .special) == .unsupportedKind)
    }

    @Test("What an interrupted save left behind stays out")
    func leftovers() {
        let leftovers = [
            "Library/Preferences/x.plist.aB3xY9z", "Library/Cookies/binarycookies_tmp_1_0.dat",
            "Documents/.dat.nosync01ab.xyz",
        ]
        for path in leftovers {
            #expect(BackupRule.exclusion(of: path, kind: .file) == .saveLeftover)
            #expect(BackupRule.includes(relativePath: path, kind: .directory))
        }
        let kept = [
            "Documents/x.plist", "Documents/x.plist.backup12", "Documents/x.plist.a.bcdef",
            "Documents/xplist.aB3xY9z",
            "Documents/plist.aB3xY9z", "Documents/a.dat", "Documents/x.dat.nosync",
            "Documents/a.plist.aB3xY9z/b",
        ]
        for path in kept { #expect(BackupRule.includes(relativePath: path, kind: .file), "\(path)") }
    }

    @Test(
        "A path of 998 bytes on the device is too long, one of 997 is not",
        arguments: BackedUpContainer.allCases)
    func pathLength(container: BackedUpContainer) {
        let uuid = String(repeating: "0", count: 36)
        let parent = container == .appData ? "Data/Application" : "Shared/AppGroup"
        let prefix = "/var/mobile/Containers/\(parent)/\(uuid)/"
        for (total, exclusion) in [(997, BackupRule.Exclusion?.none), (998, .pathTooLong)] {
            let path = "Documents/".padded(to: total - prefix.utf8.count)
            #expect((prefix + path).utf8.count == total)
            #expect(BackupRule.exclusion(of: path, kind: .file, in: container) == exclusion)
        }
    }
}

extension String {
    fileprivate func padded(to bytes: Int) -> String {
        self + String(repeating: "x", count: bytes - utf8.count)
    }
}

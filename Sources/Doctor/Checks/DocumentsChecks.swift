internal import Posix
internal import SandboxRules

/// What people see, or would see, of an app's Documents and should not.
final class ExposureCheck: FileCheck, ItemCheck {
    private let code: FindingCode

    init(_ sharing: SharingKeys) {
        code = sharing.itunes || sharing.files ? .exposed : .exposedLater
    }

    /// Hidden items, directories as a whole.
    func look(at item: WalkedItem, _ found: inout FindingList) {
        guard item.area.isDocuments, !item.isBelowHidden else { return }
        if item.isHidden {
            if !Self.ofTheSystem.contains(item.name), !HomeDotFileCheck.isMeant(item) {
                found.add(code, item.path, "hidden by its name, and shown by Finder and other programs")
            }
        } else if item.stamp.isRegular, let word = Self.privateWord(item.name) {
            found.add(code, item.path, "private by its name (\(word))")
        }
    }

    func look(at file: WalkedFile, _ found: inout FindingList) {
        let item = file.item
        guard item.area.isDocuments, !item.isBelowHidden, !item.isHidden else { return }
        if file.isDatabase || item.isDatabaseByName {
            found.add(code, item.path, "a database")
        }
    }

    /// What Files and Macs make.
    private static let ofTheSystem: Set<String> = [".Trash", ".DS_Store", ".localized"]
    private static let keyExtensions: Set<String> = [
        "pem", "p12", "pfx", "keychain", "keystore", "jks", "mobileprovision",
    ]
    private static let words = [
        "password", "passwd", "secret", "credential", "token", "id_rsa", "id_ed25519",
    ]

    private static func privateWord(_ name: String) -> String? {
        let suffix = name.lowercasedExtension
        if keyExtensions.contains(suffix) { return "." + suffix }
        let name = name.lowercased()
        return words.first { name.contains($0) }
    }
}

/// What programs of .NET and Mono keep in HOME, which is Documents for them.
struct HomeDotFileCheck: ItemCheck {
    private static let names: Set<String> = [
        ".config", ".local", ".cache", ".dotnet", ".nuget", ".mono", ".aspnet", ".templateengine",
        ".microsoft",
    ]

    static func isMeant(_ item: WalkedItem) -> Bool {
        item.area == .documents && item.isTop && names.contains(item.name)
    }

    func look(at item: WalkedItem, _ found: inout FindingList) {
        guard Self.isMeant(item) else { return }
        found.add(.homeDotFile, item.path, "is there because HOME is Documents for .NET and Mono")
    }
}

/// What fills people's backups: copies of the bundle's files, and large files.
final class BackupSizeCheck: FileCheck {
    private let bundle: BundleIndex
    private let largeBytes: UInt64

    init(_ bundle: BundleIndex, largeBytes: UInt64) {
        self.bundle = bundle
        self.largeBytes = largeBytes
    }

    func look(at file: WalkedFile, _ found: inout FindingList) {
        let item = file.item
        let size = item.stamp.sizeBytes
        guard item.area.isDocuments, size > 0 else { return }
        let isLarge = size >= largeBytes
        guard isLarge || bundle.hasFile(of: size), !item.isExcludedFromBackup() else { return }
        if let twin = bundle.path(ofTwin: file.descriptor.raw, sizeBytes: size) {
            found.add(.reCreatable, item.path, "the same as \(twin.quoted), \(byteText(size))")
        } else if isLarge {
            found.add(.large, item.path, byteText(size))
        }
    }
}

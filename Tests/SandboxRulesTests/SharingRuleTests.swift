import SandboxRules
import Testing

@Suite("Sharing rule")
struct SharingRuleTests {
    @Test("Items are files and directories whose name begins without a dot")
    func items() {
        func isItem(_ name: String, _ kind: ItemKind) -> Bool {
            name.withNameBytes { SharingRule.isItem($0, kind: kind) }
        }
        #expect(isItem("a.txt", .file))
        #expect(isItem("Folder", .directory))
        #expect(isItem("Inbox", .directory))
        for kind in [ItemKind.symlink, .special] { #expect(!isItem("a", kind)) }
        for kind in ItemKind.allCases {
            for name in [".hidden", ".", "..", ".Trash", ""] { #expect(!isItem(name, kind)) }
        }
    }

    @Test("Subdirectories are closed; files can be read and not written")
    func permissions() {
        #expect(SharingRule.permissions(of: .directory, backing: 0o755) == 0)
        #expect(SharingRule.permissions(of: .file, backing: 0o644) == 0o444)
        #expect(SharingRule.permissions(of: .file, backing: 0o6750) == 0o550)
    }

    @Test("Only an app with UIFileSharingEnabled gets the view")
    func gate() {
        #expect(SharingRule.refusal(for: SharingKeys(itunes: true, files: false)) == nil)
        #expect(
            SharingRule.refusal(for: SharingKeys(itunes: false, files: true)) == .installationLookupFailed)
        #expect(SharingRule.refusal(for: nil) == .applicationLookupFailed)
    }

    @Test("The refusal names the key, the device's error and what to do")
    func messages() {
        #expect(
            SharingRefusal.installationLookupFailed.message(app: "Ledger")
                == "Ledger does not share its Documents: Info.plist lacks UIFileSharingEnabled"
                + " (a device says InstallationLookupFailed). Add the key and install again.")
        #expect(SharingRefusal.applicationLookupFailed.message(app: "x").contains("ApplicationLookupFailed"))
    }

    @Test("The Files view takes LSSupportsOpeningDocumentsInPlace, or the document browser alone")
    func files() {
        func keys(_ itunes: Bool, _ inPlace: Bool, _ browser: Bool) -> SharingKeys {
            SharingKeys(itunes: itunes, opensInPlace: inPlace, documentBrowser: browser)
        }
        #expect(keys(false, true, false).files)
        #expect(keys(false, false, true).files)
        #expect(!keys(true, false, false).files)
        #expect(SharingKeys(itunes: false, files: true).files)
    }

    @Test("Kinds are read from the mode")
    func kinds() {
        let modes: [(UInt32, ItemKind)] = [
            (0o100644, .file), (0o040755, .directory), (0o120777, .symlink), (0o140755, .special),
            (0o010644, .special), (0o020644, .special), (0o060644, .special), (0, .special),
        ]
        for (mode, kind) in modes { #expect(ItemKind(mode: mode) == kind) }
    }
}

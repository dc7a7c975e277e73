import SandboxRules
import Testing

/// SPEC.md 7: what under Documents has no place in the cloud, by its name and kind.
struct CloudRuleTests {
    @Test(arguments: [".Trash", "a.nosync", "a.tmp", ".DS_Store"])
    func theseNamesDoNotSyncWhateverBearsThem(_ name: String) {
        for kind in [ItemKind.file, .directory, .symlink] {
            #expect(exclusion(of: name, kind) == .name)
        }
    }

    @Test func theInboxIsOneAtTheTopOnly() {
        #expect(exclusion(of: "Inbox", .directory, isTopLevel: true) == .name)
        #expect(exclusion(of: "Inbox", .directory) == nil)
    }

    @Test(arguments: [
        ".swp", ".letter.txt.swp", ".letter.txt.swo", ".letter.swg", ".letter.txt.kate-swp",
        "#letter.txt#", ".#letter.txt", ".~lock.letter.odt#", "~$letter.docx",
        ".goutputstream-K3J4R2", "film.mp4.crdownload", "index.lock", "HEAD.lock", "packed-refs.lock",
        "tmp_obj_aB3xY9", "tmp_pack_aB3xY9",
    ])
    func temporaryFilesOfProgramsDoNotSyncAndDirectoriesOfSuchNamesDo(_ name: String) {
        #expect(exclusion(of: name, .file) == .name)
        #expect(exclusion(of: name, .symlink) == .name)
        #expect(exclusion(of: name, .directory) == nil)
    }

    @Test(arguments: [
        "letter.txt", "letter.txt~", "letter.swp", ".film.swf", ".profile", ".gitignore", "#", "##", "#1",
        "1#", "~letter", "4913", "Cargo.lock", "a.lock", "archive.part", ".~letter", ".~lock.letter",
        "tmp_obj_1", "tmp_obj_1234567", "tmp_pack_", "crdownload", "", "INDEX.LOCK", "tmp", ".tmpl",
    ])
    func documentsOfLikeNamesSync(_ name: String) { #expect(exclusion(of: name, .file) == nil) }

    @Test func whatIsNoFileFolderOrLinkDoesNotSync() {
        #expect(exclusion(of: "a", .special) == .kind)
        #expect(exclusion(of: "index.lock", .special) == .kind)
    }

    private func exclusion(
        of name: String, _ kind: ItemKind, isTopLevel: Bool = false
    ) -> CloudRule.Exclusion? {
        var name = name
        return name.withUTF8 {
            CloudRule.exclusion(of: UnsafeRawBufferPointer($0), kind: kind, isTopLevel: isTopLevel)
        }
    }
}

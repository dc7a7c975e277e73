import Testing

@testable import CloudSync
@testable import SyncLog

struct DraftSourceTests {
    /// At whichever look at the disk it does: an innocent directory is there then, or nothing.
    @Test(arguments: 1...4)
    func whatLiesInAFlaggedDirectoryStaysThoughThatChangesPlacesMeanwhile(look: Int) throws {
        let disk = TestDisk()
        disk.makeDirectory("d")
        disk.makeDirectory("e")
        disk.write("secret", to: "d/a")
        let item = try #require(try disk.look(at: "d/a"))
        let draft = Draft(
            .create, file: FileID(bits: 1), path: item.path, parent: .root, name: "a",
            attributes: item.attributes, fingerprint: item.fingerprint, source: .file)
        let cut = CutDraft(draft: draft, fingerprint: item.fingerprint)
        #expect(try disk.mayLeave(cut, .all))
        disk.setFlag(true, "d")
        let before = disk.looks
        disk.onLook = { [unowned disk] in
            if disk.looks == before + look { disk.exchange("d", "e") }
        }
        #expect(try !disk.mayLeave(cut, .all))
    }
}

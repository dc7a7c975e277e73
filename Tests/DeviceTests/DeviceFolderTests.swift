import Foundation
import GRDB
import Posix
import Testing
import Wire

@testable import Device

@Suite struct DeviceFolderTests {
    @Test func aFolderIsMadeWithItsParentsAndClosedToOthers() throws {
        let scratch = try Scratch()
        let folder = try DeviceFolder.create(at: scratch.file("a/b/device"))
        let stamp = try ItemStamp(of: folder.raw)
        #expect(stamp.permissions == 0o700 && stamp.isDirectory)
    }

    @Test func aNewDeviceHasTheLayoutOfIOS() throws {
        let scratch = try Scratch()
        _ = try scratch.device()
        #expect(scratch.names("device/Containers") == ["Bundle", "Data", "Shared"])
        #expect(scratch.names("device/Containers/Shared") == ["AppGroup"])
    }

    @Test func theIdentifierStaysOverOpening() throws {
        let scratch = try Scratch()
        let first = try scratch.device().id
        #expect(UUID(uuidString: first) != nil)
        #expect(try scratch.device().id == first)
    }

    @Test func aFolderWithOtherThingsIsRefusedAndLeftAlone() throws {
        let scratch = try Scratch()
        try scratch.write("device/thesis.tex")
        let refused = #expect(throws: DeviceError.self) { _ = try scratch.device() }
        #expect(refused?.kind == .notADevice)
        #expect(refused?.message.contains("thesis.tex") == true)
        #expect(scratch.names("device") == ["thesis.tex"])
    }

    @Test func theDaemonsFolderInAFreshDeviceIsNoReasonToRefuse() throws {
        let scratch = try Scratch()
        try scratch.write("device/run/daemon.log")
        #expect(try scratch.device().apps().isEmpty)
    }

    @Test func anotherUsersDeviceIsRefused() throws {
        let scratch = try Scratch()
        let folder = try DeviceFolder.create(at: scratch.file("device"))
        let refused = #expect(throws: DeviceError.self) {
            let again = try Descriptor(scratch.file("device"), flags: O_RDONLY)
            _ = try Device(directory: again, owner: Owner(uid: Owner.current.uid + 1, gid: 1))
        }
        #expect(refused?.kind == .notADevice)
        #expect(try sortedNames(in: folder.raw) == [])
    }

    @Test func aNewerCatalogueIsRefusedUntouched() throws {
        let scratch = try Scratch()
        _ = try scratch.device()
        let catalogue = scratch.file("device/catalogue.sqlite")
        do {
            let later = try DatabaseQueue(path: catalogue)
            try later.write {
                try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99: from the future')")
            }
            try later.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
            try later.close()
        }
        let before = FileManager.default.contents(atPath: catalogue)
        let refused = #expect(throws: DeviceError.self) { _ = try scratch.device() }
        #expect(refused?.kind == .newerCatalogue)
        #expect(FileManager.default.contents(atPath: catalogue) == before)
    }

    @Test(arguments: [
        "ALTER TABLE setting RENAME TO other; CREATE VIEW setting AS SELECT * FROM other",
        "CREATE TRIGGER t AFTER INSERT ON setting BEGIN DELETE FROM app; END",
        "CREATE TABLE more(a, b AS (hex(a)))",
        "DROP TABLE grdb_migrations; CREATE VIEW grdb_migrations AS SELECT '99' AS identifier",
    ])
    func aCatalogueWithAnythingElseInItIsRefused(_ statements: String) throws {
        let scratch = try Scratch()
        _ = try scratch.device()
        let changed = try DatabaseQueue(path: scratch.file("device/catalogue.sqlite"))
        try changed.write { try $0.execute(sql: statements) }
        try changed.close()
        let refused = #expect(throws: DeviceError.self) { _ = try scratch.device() }
        #expect(refused?.kind == .notADevice && refused?.message.contains("\n") == false)
    }

    @Test func aCatalogueThatIsALinkIsRefused() throws {
        let scratch = try Scratch()
        try scratch.write("elsewhere.sqlite", [])
        _ = try DeviceFolder.create(at: scratch.file("device"))
        try scratch.link("device/catalogue.sqlite", to: scratch.file("elsewhere.sqlite"))
        #expect(throws: DeviceError.self) { _ = try scratch.device() }
        #expect(scratch.text("elsewhere.sqlite") == "")
    }

    @Test func aDamagedCatalogueIsOneLine() throws {
        let scratch = try Scratch()
        try scratch.write("device/catalogue.sqlite", Array(repeating: 0x41, count: 4096))
        let refused = #expect(throws: DeviceError.self) { _ = try scratch.device() }
        #expect(refused?.message.contains("\n") == false)
        #expect(refused?.message.contains("catalogue") == true)
    }

    @Test func `No text of a store's keys holds one`() {
        let keys = CloudKeys(accessKeyID: "ACCESS", secretAccessKey: "SECRET", sessionToken: "TOKEN")
        let account = CloudAccount(url: "s3://bucket", keys: keys)
        var dumped = ""
        dump(account, to: &dumped)
        for text in ["\(keys)", String(reflecting: keys), dumped, "\(account)"] {
            #expect(!text.contains("SECRET") && !text.contains("ACCESS") && !text.contains("TOKEN"))
        }
    }
}

import CLinux
import Foundation
import Glibc
import Posix
import TestKit
import Testing

@testable import sync_storm

/// Where the devices of a test meet.
enum StoreKind: CaseIterable, CustomTestStringConvertible {
    case folder, seaweed

    var testDescription: String { "\(self)" }

    func store() throws -> FleetStore {
        switch self {
        case .folder: .folder
        case .seaweed: .seaweed(try SeaweedProcess.shared.get(), port: nil)
        }
    }
}

/// Two devices of one account, both mounted, on each kind of store.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FleetTests {
    @Test(arguments: StoreKind.allCases)
    func whateverIsDoneToDocumentsOnOneDeviceIsSoOnTheOther(kind: StoreKind) throws {
        let fleet = try Fleet(2, on: kind.store())
        try fleet.mountAll()
        for (here, there) in [(0, 1), (1, 0)] {
            let home = Home(fleet.devices[here].documents)
            for step in [Home.make, Home.edit, Home.move, Home.remove] {
                try step(home)()
                let expected = try TreeListing(below: home.path)
                let other = fleet.devices[there].documents
                #expect(try eventually { try TreeListing(below: other) == expected })
                // And nothing came back.
                #expect(try TreeListing(below: home.path) == expected)
            }
        }
        // One device's tree went to the other whole: nothing was told as anything but what it was.
        #expect(try fleet.devices[0].conflicts() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func anAtomicSaveHereAndAnEditInPlaceThereAreTwoVersionsOfOneItem(kind: StoreKind) throws {
        let fleet = try Fleet(2, on: kind.store())
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        try write("base", to: one.documents + "/a")
        #expect(eventually { (try? contents(of: two.documents + "/a")) == "base" })
        try fleet.unmountAll()
        try fleet.mountAll("--no-sync")
        try write("saved", to: one.documents + "/a.new")
        #expect(rename(one.documents + "/a.new", one.documents + "/a") == 0)
        try write("edited in place", to: two.documents + "/a")
        try fleet.unmountAll()
        try fleet.mountAll()
        #expect(try fleet.converge() == [])
        #expect(try TestKit.names(in: two.documents).filter { $0 != "Inbox" } == ["a"])
        let conflicts = try two.conflicts()
        #expect(conflicts.map(\.path) == ["a"])
        let texts = try conflicts.flatMap(\.versions).map {
            String(decoding: try two.contents(of: "a", version: $0.id), as: UTF8.self)
        }
        #expect(Set(texts) == ["saved", "edited in place"] && texts.count == 2)
    }

    @Test func aNewFileAfterADeleteIsNeverARenameThoughItGetsTheSameInode() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        for number in 0..<10 { try write("old \(number)", to: one.documents + "/a\(number)") }
        #expect(try eventually { try TestKit.names(in: two.documents).count == 10 })
        for number in 0..<10 {
            #expect(unlink(one.documents + "/a\(number)") == 0)
            try write("new \(number)", to: one.documents + "/b\(number)")
        }
        let expected = try TreeListing(below: one.documents)
        #expect(try eventually { try TreeListing(below: two.documents) == expected })
        let told = try two.operations()
        #expect(told.filter { $0 == "move" } == [])
        #expect(told.count { $0 == "delete" } == 10 && told.count { $0 == "create" } == 20)
    }

    @Test func aHardLinkThatIsWrittenThroughOneNameIsSyncedUnderBoth() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        try write("first", to: one.documents + "/a")
        #expect(link(one.documents + "/a", one.documents + "/b") == 0)
        let there = [two.documents + "/a", two.documents + "/b"]
        #expect(eventually { there.allSatisfy { (try? contents(of: $0)) == "first" } })
        try write("second, longer", to: one.documents + "/b")
        #expect(eventually { there.allSatisfy { (try? contents(of: $0)) == "second, longer" } })
    }

    @Test func aFlaggedItemLeavesTheStoreAndStaysOnTheDevicesThatHoldIt() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        try write("to be taken out", to: one.documents + "/a")
        try write("stays", to: one.documents + "/b")
        #expect(eventually { (try? contents(of: two.documents + "/a")) == "to be taken out" })
        #expect(setAttribute("com.apple.MobileBackup", [1], of: one.documents + "/a") == nil)
        #expect(try eventually { try !two.tell("cloud", "ls", Fleet.app).contains(" a\n") })
        #expect(try two.tell("cloud", "ls", Fleet.app).contains(" b\n"))
        for device in fleet.devices {
            #expect(try contents(of: device.documents + "/a") == "to be taken out")
        }
        let flag = "com.apple.metadata:com_apple_backup_excludeItem"
        #expect(eventually { attributeNames(of: two.documents + "/a").contains { $0.hasSuffix(flag) } })
        // It is each device's own now.
        try write("mine", to: one.documents + "/a")
        try write("told", to: one.documents + "/b")
        #expect(eventually { (try? contents(of: two.documents + "/b")) == "told" })
        #expect(try contents(of: two.documents + "/a") == "to be taken out")
        #expect(try !fleet.storeHolds("mine"))
    }

    @Test(arguments: StoreKind.allCases)
    func ofAFileThatIsFlaggedShortlyAfterItsCloseTheStoreNeverHasTheBytes(kind: StoreKind) throws {
        let fleet = try Fleet(2, on: kind.store())
        try fleet.mountAll()
        let documents = fleet.devices[0].documents
        // A machine that is late itself proves nothing: then once more, with other files.
        var found: String?
        for _ in 1...10 where found == nil { found = try Self.secretThatIsFlaggedInTime(in: documents) }
        let secret = try #require(found, "never were all flagged within a second of their closes")
        try write("control \(secret.suffix(20))", to: documents + "/control")
        let there = fleet.devices[1].documents
        #expect(eventually { (try? contents(of: there + "/control")) != nil })
        #expect(try TestKit.names(in: there).filter { $0.contains(secret) }.isEmpty)
        // Bytes lie in the store as they are, else this would prove nothing.
        #expect(try fleet.storeHolds("control \(secret.suffix(20))"))
        #expect(try !fleet.storeHolds(secret))
    }

    /// Writes a hundred files and flags each some 200 ms after its own close.
    /// - Returns: what they hold; nil where one was flagged so late that it may have gone up.
    private static func secretThatIsFlaggedInTime(in documents: String) throws -> String? {
        let secret = "secret-\(UUID().uuidString)"
        var flagged = 0
        var due: [(flag: Deadline, late: Deadline)] = []
        var isLate = false
        while flagged < 100 {
            if due.count < 100 {
                try write("\(secret) \(due.count)", to: documents + "/\(due.count) \(secret)")
                due.append((Deadline(seconds: 0.2), Deadline(seconds: 0.9)))
            }
            while flagged < due.count, due[flagged].flag.hasPassed {
                let path = documents + "/\(flagged) \(secret)"
                #expect(setAttribute("com.apple.MobileBackup", [1], of: path) == nil)
                isLate = isLate || due[flagged].late.hasPassed
                flagged += 1
            }
            usleep(10_000)
        }
        return isLate ? nil : secret
    }
}

/// What a person does in Documents, step by step.
private struct Home {
    let path: String
    init(_ path: String) { self.path = path }

    func make() throws {
        try write("first", to: path + "/a")
        for directory in ["/t", "/t/u", "/t/u/v", "/empty"] { #expect(mkdir(path + directory, 0o755) == 0) }
        for name in ["/t/b", "/t/u/c", "/t/u/v/d"] {
            try write(String(repeating: name, count: 10_000), to: path + name)
        }
        #expect(symlink("../elsewhere", path + "/t/link") == 0)
        #expect(chmod(path + "/a", 0o640) == 0 && chmod(path + "/t/u", 0o750) == 0)
        #expect(setAttribute("com.apple.note", [1, 2, 3], of: path + "/a") == nil)
        #expect(setAttribute("com.apple.note", [4], of: path + "/t/u") == nil)
        setTime(path + "/t/b", seconds: 1_000_000_000)
    }

    func edit() throws {
        try write("second, in place", to: path + "/a")
        try write("saved", to: path + "/t/new")
        #expect(rename(path + "/t/new", path + "/t/b") == 0)
        #expect(chmod(path + "/t/u/c", 0o600) == 0)
        #expect(removeAttribute("com.apple.note", of: path + "/t/u") == nil)
        #expect(setAttribute("com.apple.note", [9], of: path + "/a") == nil)
        #expect(unlink(path + "/t/link") == 0 && symlink("nowhere", path + "/t/link") == 0)
        setTime(path + "/t/u/v/d", seconds: 1_100_000_000)
    }

    func move() throws {
        #expect(rename(path + "/a", path + "/empty/renamed") == 0)
        #expect(rename(path + "/t", path + "/moved") == 0)
        #expect(rename(path + "/moved/u/v", path + "/v") == 0)
    }

    func remove() throws {
        #expect(unlink(path + "/empty/renamed") == 0)
        for name in ["moved", "v", "empty"] {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    private func setTime(_ path: String, seconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: 123_456_789)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    }
}

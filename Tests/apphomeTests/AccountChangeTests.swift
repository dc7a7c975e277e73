import Foundation
import TestKit
import Testing

/// `apphome cloud account set` and `none` on a device that has documents of an account.
@Suite(.timeLimit(.minutes(5))) struct AccountChangeTests {
    @Test func nothingIsDoneWhereNothingIsSaidOfTheDocuments() throws {
        let devices = try TwoAccounts()
        let refused = try devices.change(to: "other")
        #expect(refused.status == 1 && refused.output == "", "\(refused)")
        #expect(refused.errors.contains("4 items of another account: give --documents keep ("), "\(refused)")
        #expect(try devices.tell("cloud", "account", "show").contains("/store"))
        try devices.add("later", "x")
        #expect(eventually { devices.theirs("later") == "x" })
    }

    @Test func whatIsKeptIsTheNextAccountsTooAndTheFirstOneLosesNothing() throws {
        let devices = try TwoAccounts()
        // The next account has another document of that name already.
        try devices.add("both", "theirs", to: "third", mounting: true)
        let token = try devices.token()
        #expect(try devices.change(to: "other", "--documents", "keep").status == 0)
        #expect(try devices.token() != token)
        #expect(eventually { devices.mine("both (cloud)") == "theirs" || devices.mine("both") == "theirs" })
        #expect(eventually { devices.hasInCloud("inner") })
        try FileManager.default.removeItem(atPath: devices.place.path + "/one/Documents/a")
        try devices.tell("cloud", "sync", "Notes", "--confirm-deletes")
        // The first account is met as a new device does: what was deleted meanwhile was not deleted there.
        let back = try devices.change(to: "store", "--documents", "keep")
        #expect(back.status == 0 && !back.output.contains("the same account"), "\(back)")
        #expect(eventually { devices.mine("a") == "text of a" })
        #expect(devices.theirs("a") == "text of a" && devices.theirs("both") == "mine")
        #expect(try devices.tell("cloud", "status", "Notes").contains("held") == false)
    }

    @Test func whatIsRemovedIsInItsAccountAndNothingElseGoes() throws {
        let devices = try TwoAccounts()
        try devices.add("flagged", "stays")
        try devices.tell("skip-backup", "set", devices.place.path + "/one/Documents/flagged")
        try devices.add("new", "goes up first")
        let changed = try devices.change(to: "other", "--documents", "remove")
        #expect(changed.status == 0, "\(changed)")
        #expect(changed.output.contains("Notes: 5 items removed from this device, 1 stay"), "\(changed)")
        #expect(try devices.documents() == ["flagged"])
        #expect(eventually { devices.theirs("new") == "goes up first" })
        #expect(try devices.change(to: "store").status == 0)
        #expect(eventually { devices.mine("directory/inner") == "text of inner" })
        #expect(devices.theirs("a") == "text of a")
        // Signed out and in again the device goes on.
        try devices.tell("cloud", "account", "none")
        try FileManager.default.removeItem(atPath: devices.place.path + "/one/Documents/new")
        #expect(try devices.change(to: "store").status == 0)
        #expect(eventually { devices.theirs("new") == nil })
        #expect(try devices.tell("cloud", "account", "none", "--documents", "remove").contains("removed"))
        #expect(try devices.documents() == ["flagged"])
        #expect(devices.theirs("a") == "text of a")
    }

    @Test func nothingIsRemovedThatItsAccountDoesNotHave() throws {
        let devices = try TwoAccounts()
        try devices.add("unsent", "here alone")
        let store = devices.place.path + "/store"
        try FileManager.default.moveItem(atPath: store, toPath: store + ".away")
        let refused = try devices.change(to: "other", "--documents", "remove")
        #expect(refused.status == 1 && refused.errors.contains("folder is not there"), "\(refused)")
        #expect(devices.mine("unsent") == "here alone" && devices.mine("a") == "text of a")
        #expect(try devices.tell("cloud", "account", "show").contains("/store"))
    }

    @Test func aCopyOfTheAccountIsTheSameOne() throws {
        let devices = try TwoAccounts()
        let token = try devices.token()
        try devices.tell("kvs", "set", "Notes", "key", "value")
        try devices.tell("cloud", "sync", "Notes", "--wait")
        let copy = try TemporaryFolder()
        try devices.tell("cloud", "account", "copy", "file://\(copy.path)/copy")
        try devices.tell("kvs", "set", "Notes", "key", "after the copy")
        try devices.tell("cloud", "sync", "Notes", "--wait")
        let early = try apphome("cloud", "account", "set", "file://\(copy.path)/copy", in: devices.first)
        #expect(early.status == 1 && early.errors.contains("of Notes's keys: copy the account"), "\(early)")
        try devices.tell("cloud", "account", "copy", "file://\(copy.path)/later")
        let changed = try apphome("cloud", "account", "set", "file://\(copy.path)/later", in: devices.first)
        #expect(changed.status == 0 && changed.output.contains("the same account as before"), "\(changed)")
        #expect(try devices.token() == token)
        #expect(try devices.tell("kvs", "get", "Notes", "key") == "after the copy\n")
        // It goes on where it was: nothing is sent or asked for anew.
        let status = try devices.tell("cloud", "status", "Notes", "--json")
        #expect(try eventually { try devices.tell("cloud", "status", "Notes").contains("idle") }, "\(status)")
        #expect(devices.mine("a") == "text of a")
    }

    @Test func aStoreThatHasAnotherAccountThanBeforeIsNotWrittenTo() throws {
        let devices = try TwoAccounts()
        try devices.unmount()
        let (store, other) = (devices.place.path + "/store", devices.place.path + "/other")
        try FileManager.default.moveItem(atPath: store, toPath: store + ".away")
        try FileManager.default.copyItem(atPath: other, toPath: store)
        let sync = try apphome("cloud", "sync", "Notes", in: devices.first)
        #expect(sync.output.contains("another account than it had"), "\(sync)")
        #expect(try devices.change(to: "store", "--documents", "keep").status == 0)
        try devices.tell("cloud", "sync", "Notes", "--wait")
        #expect(devices.hasInCloud("inner"))
    }
}

/// A device that has synced four items with an account, and two others: of that account, and of another one.
private final class TwoAccounts {
    let place: Workplace
    var first: String { place.device }

    init() throws {
        place = try Workplace()
        for (device, store) in [("device", "store"), ("second", "store"), ("third", "other")] {
            let path = device == "device" ? place.device : "\(place.path)/\(device)"
            _ = try apphome("new", "Notes", "--share", in: path)
            let set = try apphome("cloud", "account", "set", "file://\(place.path)/\(store)", in: path)
            #expect(set.status == 0, "\(set)")
        }
        _ = try apphome("mount", "Notes", place.path + "/one", in: first)
        _ = try apphome("mount", "Notes", place.path + "/two", in: place.path + "/second")
        try FileManager.default.createDirectory(
            atPath: place.path + "/one/Documents/directory", withIntermediateDirectories: false)
        for (name, text) in [("a", "text of a"), ("both", "mine"), ("directory/inner", "text of inner")] {
            try add(name, text)
        }
        #expect(eventually { theirs("directory/inner") == "text of inner" })
        try tell("cloud", "sync", "Notes", "--wait")
    }

    /// Of the first device, or of another one.
    func add(_ name: String, _ text: String, to device: String? = nil, mounting: Bool = false) throws {
        let home = device.map { "\(place.path)/\($0)-home" } ?? place.path + "/one"
        if mounting, let device {
            _ = try apphome("mount", "Notes", home, in: "\(place.path)/\(device)")
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(home)/Documents/\(name)"))
        guard mounting, let device else { return }
        _ = try apphome("cloud", "sync", "Notes", "--wait", in: "\(place.path)/\(device)")
        _ = try apphome("unmount", home, in: "\(place.path)/\(device)")
    }

    @discardableResult
    func tell(_ words: String...) throws -> String {
        let outcome = try apphome(words, in: first)
        #expect(outcome.status == 0, "\(words) \(outcome)")
        return outcome.output
    }

    func change(to store: String, _ options: String...) throws -> Outcome {
        try apphome(["cloud", "account", "set", "file://\(place.path)/\(store)"] + options, in: first)
    }

    func hasInCloud(_ name: String) -> Bool {
        (try? apphome("cloud", "ls", "Notes", "directory", in: first))?.output.contains(name) ?? false
    }

    func mine(_ name: String) -> String? {
        try? String(contentsOfFile: "\(place.path)/one/Documents/\(name)", encoding: .utf8)
    }
    func theirs(_ name: String) -> String? {
        try? String(contentsOfFile: "\(place.path)/two/Documents/\(name)", encoding: .utf8)
    }
    func documents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: place.path + "/one/Documents").sorted()
    }

    func token() throws -> String {
        let text = try apphome("cloud", "path", "Notes", "--json", in: first).output
        let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        return try #require(json["token"] as? String)
    }

    func unmount() throws { _ = try apphome("unmount", place.path + "/one", in: first) }

    deinit {
        for mount in mounts(below: place.path) {
            let device = mount.hasSuffix("two") ? "second" : mount.contains("third") ? "third" : "device"
            let path = device == "device" ? first : "\(place.path)/\(device)"
            _ = try? apphome("unmount", "--lazy", mount, in: path)
        }
    }
}

import Foundation
import Testing

/// Which commands make a device, and what the others say of one that is not there.
@Suite(.serialized) struct MissingDeviceTests {
    @Test(arguments: [
        ["list"], ["info", "Notes"], ["uninstall", "Notes", "--yes"], ["share", "ls"],
        ["share", "put", "Notes", "/etc/hostname"], ["run", "Notes", "--", "true"], ["env", "Notes"],
        ["defaults", "read", "Notes"], ["purge"], ["group", "path", "Notes", "group.g"],
        ["cloud", "status"], ["cloud", "account", "set", "none"], ["device", "show"],
        ["device", "set", "names", "simulator"], ["backup", "list", "--cloud"], ["watch", "Notes"],
    ])
    func aCommandThatMakesNoDeviceSaysThatThereIsNone(_ command: [String]) throws {
        let place = try Workplace()
        let outcome = try apphome(command, in: place.device)
        #expect(outcome.status == (command[0] == "run" ? 125 : 1), "\(outcome)")
        #expect(outcome.errors.contains("there is no device \(place.device)"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: place.device))
    }

    @Test(arguments: [
        ["new", "Notes"], ["mount", "Notes", "m"], ["install", "App.app"], ["device", "create"],
    ])
    func aDeviceIsMadeByTheseFour(_ command: [String]) throws {
        let place = try Workplace()
        var command = command
        if command[0] == "install" {
            command[1] = place.path + "/App.app"
            try FileManager.default.createDirectory(atPath: command[1], withIntermediateDirectories: false)
        }
        if command[0] == "device" { command.append(place.device) }
        _ = try apphome(command, in: place.device)
        #expect(try place.run("list").status == 0)
    }

    /// Whoever wants to be rid of a device, or another name for it, wants no new one.
    @Test(arguments: [
        ["rename", "wrok", "play"], ["erase", "wrok", "--yes"], ["delete", "wrok", "--yes"],
        ["clone", "wrok", "play"],
    ])
    func whereADeviceIsChangedTheListOfThemIsNamed(_ words: [String]) throws {
        let place = try Workplace()
        #expect(try place.run("device", "create", "work").status == 0)
        let outcome = try apphome(["device"] + words, in: place.device)
        let said = "there is no device wrok; did you mean work? See: apphome device list"
        #expect(outcome.status == 1 && outcome.errors.contains(said), "\(outcome)")
    }

    @Test func theLikelyDeviceIsNamed() throws {
        let place = try Workplace()
        for name in ["work", "private"] { #expect(try place.run("device", "create", name).status == 0) }
        let typo = try place.run("list", "--device", "wrok")
        #expect(
            typo.errors.hasPrefix("apphome: error: there is no device wrok; did you mean work?"), "\(typo)")
        let again = try place.run("device", "create", "work")
        #expect(again.status == 1 && again.errors.contains("there is a device work already"), "\(again)")
        #expect(try apphome("new", "Notes", in: place.path + "/phone").status == 0)
        let path = try apphome("list", in: place.path + "/phobe")
        #expect(path.errors.contains("did you mean \(place.path)/phone?"), "\(path)")
        let dotted = try apphome("list", in: place.path + "/./phobe//")
        #expect(dotted.errors.contains("there is no device \(place.path)/phobe;"), "\(dotted)")
    }

    @Test func aFolderThatIsNoDeviceIsNone() throws {
        let place = try Workplace()
        try FileManager.default.createDirectory(atPath: place.device, withIntermediateDirectories: false)
        let outcome = try place.run("list")
        #expect(outcome.status == 1 && outcome.errors.contains("there is no device \(place.device)"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.device) == [])
    }
}

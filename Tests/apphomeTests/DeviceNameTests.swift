import Foundation
import Posix
import TestKit
import Testing

/// What devices of one machine are called in the account that they share.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeviceNameTests {
    @Test func theSecondDeviceOfAMachineHasANumberBehindItsName() throws {
        let place = try Workplace()
        let (one, two) = (place.path + "/one", place.path + "/two")
        let file = place.path + "/text"
        try "text".write(toFile: file, atomically: false, encoding: .utf8)
        for (device, name) in [(one, "a"), (two, "b")] {
            for command in [
                ["new", "Notes", "--share"], ["cloud", "account", "set", "file://\(place.path)/store"],
                ["share", "put", "Notes", file, "--as", name], ["cloud", "sync", "Notes", "--wait"],
            ] {
                let outcome = try apphome(command, in: device)
                #expect(outcome.status == 0, "\(outcome)")
            }
        }
        let machine = Process.hostName
        let listed = try JSONDecoder().decode(
            [Listed].self, from: try apphome("cloud", "devices", "--json", in: two).outputBytes)
        #expect(listed.filter(\.isThis).map(\.name) == ["\(machine)-2"], "\(listed)")
        #expect(listed.filter { !$0.isThis }.map(\.name) == [machine])
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: one).status == 0)
        let log = try apphome("cloud", "log", "Notes", in: one)
        #expect(log.output.contains("\(machine)-2") && log.output.contains("this device"), "\(log)")
        #expect(try apphome("backup", "create", "--cloud", in: two).status == 0)
        let snapshots = try apphome("backup", "list", "--cloud", in: one)
        #expect(snapshots.output.contains("\(machine)-2"), "\(snapshots)")
        #expect(try apphome("cloud", "devices", "forget", "\(machine)-2", in: one).status == 0)
        let left = try apphome("cloud", "devices", in: one)
        #expect(left.output.split(separator: "\n").count == 1, "\(left)")
    }

    private struct Listed: Decodable {
        let name: String
        let isThis: Bool
    }
}

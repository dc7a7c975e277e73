import Foundation
import Posix
import TestKit
import Testing

@testable import sync_storm

/// Devices of one account whose homes compare names in different ways.
@Suite(.serialized, .timeLimit(.minutes(5))) struct NamesAcrossDevicesTests {
    @Test func namesThatAreOneInTheSimulatorStayTwoDocumentsOnEveryDevice() throws {
        let fleet = try Fleet(3, on: .folder)
        let (device, simulator, legacy) = (fleet.devices[0], fleet.devices[1], fleet.devices[2])
        try device.mount()
        try simulator.mount(["--names", "simulator"])
        try legacy.mount(["--names", "legacy"])
        try write("1", to: device.documents + "/README")
        try write("2", to: device.documents + "/readme")
        try make(device.documents + "/inbox")
        try write("3", to: device.documents + "/inbox/letter")
        try make(device.documents + "/INBOX.d")
        try write("4", to: device.documents + "/INBOX.d/caf\u{e9}")
        #expect(try fleet.converge() == [])
        for documents in fleet.devices.map(\.documents) {
            #expect(text(documents + "/README") == "1")
            #expect(text(documents + "/readme") == "2")
            #expect(text(documents + "/inbox/letter") == "3")
            #expect(text(documents + "/INBOX.d/caf\u{e9}") == "4")
        }
        // The Simulator's app means one of the two by a third spelling, and changes that one.
        try write("11", to: simulator.documents + "/ReadMe")
        #expect(rename(simulator.documents + "/inbox.D", simulator.documents + "/t") == 0)
        #expect(try fleet.converge() == [])
        #expect(text(device.documents + "/README") == "11" && text(device.documents + "/readme") == "2")
        #expect(text(legacy.documents + "/t/caf\u{e9}") == "4")
        #expect(unlink(legacy.documents + "/README") == 0)
        try write("22", to: legacy.documents + "/readme")
        #expect(try fleet.converge() == [])
        for documents in fleet.devices.map(\.documents) {
            #expect(try TestKit.names(in: documents).sorted() == ["inbox", "readme", "t"])
            #expect(text(documents + "/readme") == "22")
        }
        #expect(text(simulator.documents + "/ReadMe") == "22")
        #expect(try device.conflicts() == [])
        try fleet.unmountAll()
    }

    @Test func ofTheNormalFormsThatLegacyKeepsApartOneSyncsAndNoneIsLost() throws {
        let fleet = try Fleet(2, on: .folder)
        let (device, legacy) = (fleet.devices[0], fleet.devices[1])
        try device.mount()
        try legacy.mount(["--names", "legacy"])
        // In the order of their bytes.
        let (first, second) = ("cafe\u{301}", "caf\u{e9}")
        try write("second", to: "\(legacy.documents)/\(second)")
        try write("first", to: "\(legacy.documents)/\(first)")
        for form in [first, second] { try make("\(legacy.documents)/d-\(form)") }
        try write("x", to: "\(legacy.documents)/d-\(first)/x")
        try write("y", to: "\(legacy.documents)/d-\(second)/y")
        try sync(fleet)
        #expect(text("\(device.documents)/\(second)") == "first")
        #expect(try TestKit.names(in: "\(device.documents)/d-\(second)") == ["x"])
        try write("edited", to: "\(device.documents)/\(second)")
        try sync(fleet)
        #expect(text("\(legacy.documents)/\(first)") == "edited")
        #expect(text("\(legacy.documents)/\(second)") == "second")
        #expect(text("\(legacy.documents)/d-\(second)/y") == "y")
        // What stayed behind comes once it is the only one.
        #expect(unlink("\(legacy.documents)/\(first)") == 0)
        try sync(fleet)
        #expect(text("\(device.documents)/\(second)") == "second")
        #expect(try device.conflicts() == [])
        try fleet.unmountAll()
    }

    private func sync(_ fleet: borrowing Fleet) throws {
        // The last one's have not been seen by the first after one turn.
        for _ in 0..<2 {
            for device in fleet.devices { try device.tell("cloud", "sync", Fleet.app, "--wait") }
        }
    }

    private func make(_ directory: String) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    }
}

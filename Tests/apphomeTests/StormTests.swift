import CLinux
import Foundation
import Glibc
import Posix
import TestKit
import Testing

@testable import sync_storm

/// Devices that write at once, and ends that nobody expects, on a real server.
@Suite(.serialized, .timeLimit(.minutes(8))) struct StormTests {
    @Test func fourDevicesThatWriteAtOnceLoseNothing() throws {
        var storm = Storm(Storm.Options(devices: 4, seconds: 6))
        let report = try storm.run()
        #expect(report.findings == [], "seed \(storm.options.seed)")
        #expect(report.acknowledged > 50 && report.documents > 10)
    }

    @Test func killsOfDevicesAndLossesOnTheWayLoseNothingEither() throws {
        var options = Storm.Options(devices: 3, seconds: 8, deviceKills: 3)
        options.faults = FaultProxy.Faults()
        var storm = Storm(options)
        let report = try storm.run()
        #expect(report.findings == [], "seed \(storm.options.seed)")
    }

    @Test func theServerAndBothDevicesKilledInTheMiddleOfTransfersEndEqual() throws {
        let server = try SeaweedProcess(folder: SeaweedProcess.temporaryPath())
        defer { try? server.stop() }
        let fleet = try Fleet(2, on: .seaweed(server, port: nil))
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        try one.tell("cloud", "resume", "--up", "3M")
        try two.tell("cloud", "resume", "--down", "3M")
        let count = 16
        for number in 0..<count {
            let tokens = (0..<3).map { Token(device: number, number: $0, size: .large) }
            try Data(Document(tokens).bytes).write(to: URL(filePath: one.documents + "/f\(number)"))
        }
        try write("of the other", to: two.documents + "/other")
        // Some of it is in the store, and far from all.
        let held = try server.dataBytes()
        #expect(try eventually { try server.dataBytes() > held + 2_000_000 })
        kill(server.processID, SIGKILL)
        one.kill()
        #expect(try contents(of: two.documents + "/other") == "of the other")
        _ = try SeaweedProcess(folder: server.folder)
        try one.mount()
        #expect(try !TestKit.names(in: two.documents).contains("f\(count - 1)"))
        #expect(
            try eventually(seconds: 60) {
                try TestKit.names(in: two.documents).contains { $0.hasPrefix("f") }
            })
        two.kill()
        kill(try SeaweedProcess(folder: server.folder).processID, SIGKILL)
        _ = try SeaweedProcess(folder: server.folder)
        try two.mount()
        try two.tell("cloud", "resume", "--down", "0")
        #expect(try fleet.converge() == [])
        for device in fleet.devices {
            #expect(try TestKit.names(in: device.documents).filter { $0 != "Inbox" }.count == count + 1)
        }
        #expect(try two.conflicts() == [])
        let check = try one.run("cloud", "check")
        #expect(check.status == 0, "\(check)")
    }
}

extension SeaweedProcess {
    /// What lies on its disk.
    fileprivate func dataBytes() throws -> Int {
        let data = folder + "/data"
        return try FileManager.default.subpathsOfDirectory(atPath: data).reduce(0) { sum, name in
            var status = stat()
            return stat(data + "/" + name, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
        }
    }
}

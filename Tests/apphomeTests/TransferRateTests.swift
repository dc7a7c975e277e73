import Foundation
import Posix
import TestKit
import Testing

@testable import sync_storm

/// How fast sync may go, as a person sets it, seen by how long real transfers take at least.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TransferRateTests {
    private static let sizeBytes = 12_000_000
    /// A second's worth is free, and the last chunk, 4 MiB at most, is paid for afterwards.
    private static let leastSeconds = (12_000_000 - 4_194_304) / 2_000_000.0 - 1

    @Test func aRateHoldsForTransfersAndIsKeptWithTheDevice() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try one.tell("cloud", "pause", "--up", "2M")
        try one.mount()
        try write(to: one, "a")
        #expect(try one.tell("cloud", "status").contains("paused"))
        try one.tell("cloud", "resume")
        #expect(try seconds { try one.tell("cloud", "sync", Fleet.app, "--wait") } >= Self.leastSeconds)
        try one.unmount()
        #expect(eventually { one.daemons.isEmpty })
        #expect(try one.tell("device", "show").contains("2000000"))
        try one.mount(["--no-sync"])
        try write(to: one, "b")
        #expect(try seconds { try one.tell("cloud", "sync", Fleet.app, "--wait") } >= Self.leastSeconds)
        try two.tell("cloud", "resume", "--down", "2M")
        #expect(try seconds { try two.tell("cloud", "sync", Fleet.app, "--wait") } >= 2 * Self.leastSeconds)
    }

    @Test func alsoWhatWaitsAlreadyGoesWhenALimitIsTakenAway() throws {
        let fleet = try Fleet(1, on: .folder)
        let device = fleet.devices[0]
        // At this rate it would take ten minutes.
        try device.tell("cloud", "resume", "--up", "20K", "--down", "none")
        try device.mount()
        try write(to: device, "a")
        #expect(try eventually { try device.tell("cloud", "status").contains("/s up") })
        try device.tell("cloud", "resume", "--up", "none")
        #expect(try seconds { try device.tell("cloud", "sync", Fleet.app, "--wait") } < 100)
        let refused = try device.run("cloud", "pause", "--up", "fast")
        #expect(refused.status == 64, "\(refused)")
    }

    private func write(to device: FleetDevice, _ name: String) throws {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<Self.sizeBytes / 8).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
        try Data(bytes).write(to: URL(filePath: device.documents + "/" + name))
    }

    private func seconds(_ body: () throws -> String) rethrows -> Double {
        let begin = ContinuousClock.now
        _ = try body()
        return (ContinuousClock.now - begin) / .seconds(1)
    }
}

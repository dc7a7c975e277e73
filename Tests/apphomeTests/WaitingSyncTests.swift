import Foundation
import Glibc
import Posix
import TestKit
import Testing

@testable import sync_storm

/// Who waits for a sync that gets no further hears why, in bounded time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WaitingSyncTests {
    @Test func aStoreThatTakesConnectionsAndSaysNothingIsToldOf() throws {
        let server = try SeaweedProcess(folder: SeaweedProcess.temporaryPath())
        let fleet = try Fleet(1, on: .seaweed(server, port: nil))
        let device = fleet.devices[0]
        try fleet.mountAll()
        try device.tell("cloud", "sync", Fleet.app, "--wait")
        #expect(kill(server.processID, SIGSTOP) == 0)
        defer {
            kill(server.processID, SIGCONT)
            try? server.stop()
        }
        let (status, statusSeconds) = try timed { try device.tell("cloud", "status") }
        #expect(status.contains("store-slow") && status.contains("look after its server"), "\(status)")
        #expect(statusSeconds < 10)
        // Changed while sync is held up by the store: it is counted all the same.
        try write("local", to: device.documents + "/a")
        #expect(try contents(of: device.documents + "/a") == "local")
        for _ in 0..<2 {
            let (synced, seconds) = try timed { try device.run("cloud", "sync", Fleet.app, "--wait") }
            #expect(synced.status == 4, "\(synced)")
            #expect(synced.errors.hasPrefix("apphome: error: 1 change"), "\(synced.errors)")
            #expect(synced.errors.split(separator: "\n").count == 1, "\(synced.errors)")
            #expect(seconds < 40)
        }
        #expect(try contents(of: device.documents + "/a") == "local")
        #expect(kill(server.processID, SIGCONT) == 0)
        #expect(try eventually { try device.run("cloud", "sync", Fleet.app, "--wait").status == 0 })
        let listed = try device.tell("cloud", "ls", Fleet.app)
        #expect(listed.hasSuffix(" a\n"), "\(listed)")
    }

    @Test func aStoreThatFallsSilentInTheMiddleEndsTheWaiting() throws {
        let server = try SeaweedProcess(folder: SeaweedProcess.temporaryPath())
        let fleet = try Fleet(1, on: .seaweed(server, port: nil))
        let device = fleet.devices[0]
        try fleet.mountAll()
        try device.tell("cloud", "sync", Fleet.app, "--wait")
        // So slow that it is under way for a minute.
        try device.tell("cloud", "resume", "--up", "300K")
        var random = SystemRandomNumberGenerator()
        let bytes = Data((0..<(20 << 17)).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) })
        try bytes.write(to: URL(filePath: device.documents + "/large"))
        #expect(try eventually { try device.tell("cloud", "status").contains("/s up") })
        defer {
            kill(server.processID, SIGCONT)
            try? server.stop()
        }
        let stopper = Thread { [id = server.processID] in
            usleep(3_000_000)
            kill(id, SIGSTOP)
        }
        stopper.start()
        let (synced, seconds) = try timed { try device.run("cloud", "sync", Fleet.app, "--wait") }
        #expect(synced.status == 4 && synced.errors.contains("the store"), "\(synced)")
        #expect(seconds < 60)
    }

    @Test func aDownloadThatCannotBePutInPlaceIsNamedAndNotWaitedForForEver() throws {
        let fleet = try Fleet(2, on: .folder)
        let (one, two) = (fleet.devices[0], fleet.devices[1])
        try fleet.mountAll()
        let name = "/notes.sqlite"
        _ = try SQLiteProgram.run("CREATE TABLE note (text TEXT);", on: one.documents + name)
        #expect(eventually { FileManager.default.fileExists(atPath: two.documents + name) })
        let app = try SQLiteProgram(two.documents + name)
        try app.run("BEGIN IMMEDIATE;")
        _ = try SQLiteProgram.run("INSERT INTO note VALUES ('new');", on: one.documents + name)
        try one.tell("cloud", "sync", Fleet.app, "--wait")
        let (synced, seconds) = try timed { try two.run("cloud", "sync", Fleet.app, "--wait") }
        #expect(synced.status == 4 && synced.errors.contains("1 item not downloaded"), "\(synced)")
        #expect(seconds < 90)
        app.quit()
        #expect(try eventually { try two.run("cloud", "sync", Fleet.app, "--wait").status == 0 })
        #expect(try SQLiteProgram.run("SELECT text FROM note;", on: two.documents + name) == ["new"])
    }

    private func timed<Value>(_ body: () throws -> Value) rethrows -> (Value, seconds: Double) {
        let begin = ContinuousClock.now
        let value = try body()
        return (value, (ContinuousClock.now - begin) / .seconds(1))
    }
}

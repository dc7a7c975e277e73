import CLinux
import Foundation
import Posix
import SystemPackage
import Testing

@testable import Wire

/// A daemon that has more clients than it can serve, or cannot take one.
@Suite(.serialized) struct FullDaemonTests {
    @Test func aClientThatIsTooManyHearsSoAndWaits() throws {
        let place = try Workplace()
        try place.run("new", "Notes", "--share")
        #expect(try place.run("share", "mount", "Notes", place.path + "/s").status == 0)
        var others: [Channel] = []
        var isFull = false
        while !isFull, others.count < 100 {
            let channel = try RawClient.channel(place.device)
            // It may have hung up already, and has said why before.
            try? channel.send(Hello())
            isFull = try channel.receive(Hello.self, idleSeconds: 5).0.isFull == true
            if !isFull { others.append(channel) }
        }
        #expect(isFull && others.count == 64)
        let list = try start(["list"], in: place.device)
        // Long enough for it to be refused once.
        usleep(300_000)
        others = []
        let outcome = try list.wait()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test func aDaemonThatHasNoDescriptorForAClientGoesOn() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        let daemon = try #require(place.daemonProcessIDs.first)
        let usual = try limitOfFiles(daemon)
        try limitFiles(daemon, "3")
        let list = try start(["list"], in: place.device)
        let isLogged = eventually {
            text(place.device + "/run/daemon.log")?.contains("a client cannot be taken now") == true
        }
        #expect(isLogged)
        try limitFiles(daemon, usual)
        #expect(try list.wait().status == 0)
        #expect(place.daemonProcessIDs == [daemon])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path + "/n").contains("Documents"))
    }

    /// Uploads that take longer than a client may be silent.
    @Test func unmountThatWaitsInVainForTheStoreIsUnmountedAndSaysSo() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let service = try start(["daemon", place.device, "--idle-seconds", "0.5"], in: place.device)
        defer {
            service.process.terminate()
            _ = try? service.wait()
        }
        #expect(eventually { access(place.device + "/run/daemon.sock", F_OK) == 0 })
        let store = place.path + "/store"
        #expect(mkdir(store, 0o700) == 0)
        #expect(try place.run("cloud", "account", "set", "file://" + store).status == 0)
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        #expect(rename(store, store + "-away") == 0)
        try Data("kept".utf8).write(to: URL(fileURLWithPath: place.path + "/n/Documents/a"))
        let outcome = try place.run("unmount", "--wait=2", place.path + "/n")
        #expect(outcome.status == 4, "\(outcome)")
        #expect(mounts(below: place.path) == [])
    }
}

/// The soft limit of a process's open files.
private func limitOfFiles(_ process: Int32) throws -> String {
    let arguments = ["--pid", "\(process)", "--nofile", "--noheadings", "--raw", "-o", "SOFT"]
    let outcome = try apphome(arguments, in: "/", program: "/usr/bin/prlimit")
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
}

private func limitFiles(_ process: Int32, _ limit: String) throws {
    let arguments = ["--pid", "\(process)", "--nofile=\(limit):"]
    let outcome = try apphome(arguments, in: "/", program: "/usr/bin/prlimit")
    #expect(outcome.status == 0, "\(outcome)")
}

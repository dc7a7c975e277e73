import CLinux
import Foundation
import Posix
import SystemPackage
import TestKit
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
        let usual = try softLimit("nofile", of: daemon)
        try setSoftLimit("nofile", "3", of: daemon)
        let list = try start(["list"], in: place.device)
        let isLogged = eventually {
            text(place.device + "/run/daemon.log")?.contains("a client cannot be taken now") == true
        }
        #expect(isLogged)
        try setSoftLimit("nofile", usual, of: daemon)
        #expect(try list.wait().status == 0)
        #expect(place.daemonProcessIDs == [daemon])
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path + "/n").contains("Documents"))
    }

    /// As an ordinary user: root may have as many threads as it likes.
    @Test func aDaemonThatCanMakeNoThreadForAClientSaysThatItIsFullAndGoesOn() throws {
        let place = try Workplace()
        let run = try place.ordinaryUser()
        #expect(try run(["new", "Notes"]).status == 0)
        let mounted = try run(["mount", "Notes", place.path + "/n", "--no-sync"])
        #expect(mounted.status == 0, "\(mounted)")
        let daemon = try #require(place.daemonProcessIDs.first)
        let usual = try softLimit("nproc", of: daemon)
        do {
            try setSoftLimit("nproc", "1", of: daemon)
            // Else it could not even end: libdispatch waits where it can make no thread.
            defer { try? setSoftLimit("nproc", usual, of: daemon) }
            #expect(try firstHello(place).isFull == true)
            #expect(text(place.device + "/run/daemon.log")?.contains("no thread for a client") == true)
        }
        // Not one of the clients that it has refused counts still.
        let clients = try (0..<64).map { _ in try RawClient.channel(place.device) }
        for client in clients {
            try client.send(Hello())
            #expect(try client.receive(Hello.self, idleSeconds: 10).0.isFull != true)
        }
        #expect(place.daemonProcessIDs == [daemon])
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

/// What a client hears first.
private func firstHello(_ place: borrowing Workplace) throws -> Hello {
    let channel = try RawClient.channel(place.device)
    // It may have hung up already, and has said why before.
    try? channel.send(Hello())
    return try channel.receive(Hello.self, idleSeconds: 5).0
}

/// A soft limit of a process, by prlimit(1)'s name for it.
private func softLimit(_ resource: String, of process: Int32) throws -> String {
    let outcome = try prlimit(process, ["--\(resource)", "--noheadings", "--raw", "-o", "SOFT"])
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
}

private func setSoftLimit(_ resource: String, _ limit: String, of process: Int32) throws {
    _ = try prlimit(process, ["--\(resource)=\(limit):"])
}

/// As the user whose process it is: root in a container need not have the right over another's limits.
private func prlimit(_ process: Int32, _ arguments: [String]) throws -> Outcome {
    var status = stat()
    #expect(lstat("/proc/\(process)", &status) == 0)
    let (user, group) = ("\(status.st_uid)", "\(status.st_gid)")
    let identity =
        status.st_uid == geteuid()
        ? [] : ["setpriv", "--reuid", user, "--regid", group, "--clear-groups", "--"]
    let outcome = try apphome(
        identity + ["prlimit", "--pid", "\(process)"] + arguments, in: "/", program: "/usr/bin/env")
    #expect(outcome.status == 0, "\(outcome)")
    return outcome
}

import Foundation
import FuseKit
import Posix
import TestKit
import Testing

@testable import Wire

/// The daemon as a process, on real mounts.
@Suite(.serialized) struct DaemonTests {
    @Test func mountsAreUnmountedByTheirAppOrAllAtOnce() throws {
        let place = try Workplace()
        for app in ["Notes", "Other"] { #expect(try place.run("new", app, "--share").status == 0) }
        func mountAll() throws {
            for (number, words) in [
                ["mount", "Notes"], ["share", "mount", "Notes"], ["mount", "Other"], ["files", "mount"],
            ].enumerated() {
                let mounted = try apphome(words + [place.path + "/\(number)"], in: place.device)
                #expect(mounted.status == 0, "\(mounted)")
            }
        }
        try mountAll()
        let unmounted = try place.run("unmount", "Notes")
        #expect(unmounted.status == 0, "\(unmounted)")
        #expect(mounts(below: place.path) == ["/2", "/3"].map { place.path + $0 })
        let again = try place.run("unmount", "Notes")
        #expect(again.status == 1 && again.errors.contains("Notes is not mounted"), "\(again)")
        #expect(try place.run("unmount", "--all").status == 0)
        #expect(mounts(below: place.path) == [])
        #expect(try place.run("unmount", "--all").status == 0)
        #expect(try place.run("unmount").status == 64)
    }

    @Test func twoMountsAtOnceOnAFreshDeviceGetOneDaemonTenTimes() throws {
        for _ in 1...10 {
            let place = try Workplace()
            let first = try start(["new", "Notes"], in: place.device)
            let second = try start(["new", "Ledger"], in: place.device)
            #expect(try first.wait().status == 0)
            #expect(try second.wait().status == 0)
            let notes = try start(["mount", "Notes", place.path + "/notes"], in: place.device)
            let ledger = try start(["mount", "Ledger", place.path + "/ledger"], in: place.device)
            let outcomes = [try notes.wait(), try ledger.wait()]
            #expect(outcomes.map(\.status) == [0, 0], "\(outcomes)")
            #expect(place.daemonProcessIDs.count == 1)
            #expect(mounts(below: place.path).count == 2)
            #expect(try place.run("unmount", place.path + "/notes", place.path + "/ledger").status == 0)
            #expect(eventually { place.daemonProcessIDs.isEmpty })
            #expect(mounts(below: place.path) == [])
        }
    }

    @Test func theDaemonEndsWithTheLastMountAndLeavesNoSocket() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        #expect(place.daemonProcessIDs.count == 1)
        #expect(try place.run("unmount", place.path + "/n").status == 0)
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        let left = try FileManager.default.contentsOfDirectory(atPath: place.device + "/run").sorted()
        #expect(left == ["daemon.lock", "daemon.log"])
        #expect(!FileManager.default.fileExists(atPath: place.path + "/n"))
    }

    @Test func mountSaysInThreeLinesWhatItDid() throws {
        let place = try Workplace()
        let named = ["--device", "named"]
        #expect(try apphome(["new", "Notes"] + named, in: place.device).status == 0)
        let outcome = try apphome(["mount", "Notes", place.path + "/n"] + named, in: place.device)
        #expect(try apphome(["unmount", place.path + "/n"], in: place.device).status == 0)
        #expect(
            outcome.output == """
                Notes mounted at \(place.path)/n
                Documents sync to file://\(place.device)-home/.local/share/apphome/cloud \
                (a second copy on this disk; --no-sync leaves it out)
                stop: apphome unmount \(place.path)/n

                """)
    }

    @Test func aHomeMountedTwiceIsRefusedNamingTheFirstPlace() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/one")
        let second = try place.run("mount", "Notes", place.path + "/two")
        #expect(second.status == 1)
        #expect(second.errors.hasPrefix("apphome: error: Notes is mounted at \(place.path)/one already"))
        #expect(!FileManager.default.fileExists(atPath: place.path + "/two"))
    }

    @Test func afterAKilledDaemonTheNextMountJustWorksAndListNamesWhatEnded() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("new", "Ledger")
        try place.run("mount", "Notes", place.path + "/n")
        try place.run("mount", "Ledger", place.path + "/l")
        try Data("kept".utf8).write(to: URL(fileURLWithPath: place.path + "/n/Documents/a"))
        for processID in place.daemonProcessIDs { kill(processID, SIGKILL) }
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        let outcome = try place.run("mount", "Notes", place.path + "/n")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(FileManager.default.contents(atPath: place.path + "/n/Documents/a") == Data("kept".utf8))
        let notice = "Ledger's mount at \(place.path)/l ended by a crash at "
        #expect(outcome.errors.contains(notice))
        #expect(try place.run("list").output.contains(notice))
        #expect(mounts(below: place.path) == [place.path + "/n"])
    }

    @Test func aDaemonServesAnotherBuildThatSpeaksItsProtocol() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let other = place.path + "/other"
        try FileManager.default.copyItem(atPath: program, toPath: other)
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: other))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1]))
        try handle.close()
        let made = try apphome(["new", "More"], in: place.device, program: other)
        #expect(made.status == 0, "\(made)")
        #expect(try apphome(["unmount", place.path + "/n"], in: place.device, program: other).status == 0)
    }

    @Test func aClientOfAnotherProtocolIsRefusedButMayListAndUnmount() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let source = try #require(try MountTable.current().entry(at: place.path + "/n")).source
        let run = try Descriptor(place.device + "/run", flags: O_DIRECTORY)
        let channel = Channel(try UnixSocket.connect(in: run, name: "daemon.sock"), limits: .reply)
        try channel.send(Hello(protocolNumber: Hello.currentProtocol + 1))
        let (daemon, _) = try channel.receive(Hello.self)
        func ask(_ request: Request) throws -> Answer {
            try channel.send(request)
            return try channel.receive(Answer.self).0
        }
        let refusal = daemon.refusal(of: Hello(), device: place.device)
        #expect(refusal.message.hasSuffix(": apphome unmount \(place.path)/n first"))
        #expect(try ask(.new(NewArguments(name: "More"))) == .failure(refusal))
        guard case .apps(let apps) = try ask(.list) else { throw CommandFailure.unexpectedReply }
        #expect(apps.map(\.name) == ["Notes"])
        guard case .info = try ask(.info(app: "Notes")) else { throw CommandFailure.unexpectedReply }
        let unmount = Request.unmount(source: source, directory: place.path + "/n", isDone: false)
        #expect(try ask(unmount) == .unmounting(removesDirectory: true))
    }

    @Test func hostileClientsNeitherEndNorHoldTheDaemonNorLeaveDescriptors() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let daemon = try #require(place.daemonProcessIDs.first)
        func descriptorCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/fd").count
        }
        let before = try descriptorCount()
        let run = try Descriptor(place.device + "/run", flags: O_DIRECTORY)
        let hello = String(decoding: try JSONEncoder().encode(Hello()), as: UTF8.self)
        let speeches: [[UInt8]] = [
            [], [0], [0, 0, 0, 0], [255, 255, 255, 255, 1], Array("GET / HTTP/1.1\r\n\r\n".utf8),
            Frame(body: Array("{}".utf8)).encoded, Frame(body: Array("[".utf8)).encoded,
            Frame(body: Array(hello.utf8)).encoded + Frame(body: Array("{\"nothing\":{}}".utf8)).encoded,
            Frame(body: Array(hello.utf8)).encoded
                + Frame(body: Array("{\"attachMount\":{}}".utf8)).encoded,
        ]
        for speech in speeches {
            let socket = try UnixSocket.connect(in: run, name: "daemon.sock")
            try socket.writeAll(speech)
        }
        // Half-open: connected, and silent while others are served.
        let silent = try (0..<10).map { _ in
            SharedDescriptor(try UnixSocket.connect(in: run, name: "daemon.sock"))
        }
        #expect(try place.run("list").status == 0)
        #expect(silent.count == 10)
        withExtendedLifetime(silent) {}
        #expect(try eventually { try descriptorCount() <= before + 10 })
        #expect(place.daemonProcessIDs == [daemon])
    }

    @Test func aProgramThatHoldsTheMountIsNamedWithItsProcess() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("mount", "Notes", place.path + "/n")
        let holder = Foundation.Process()
        holder.executableURL = URL(fileURLWithPath: "/bin/sleep")
        holder.arguments = ["100"]
        holder.currentDirectoryURL = URL(fileURLWithPath: place.path + "/n/Documents")
        try holder.run()
        // Not SIGTERM: the test's thread may have it blocked, and the program with it.
        defer {
            kill(holder.processIdentifier, SIGKILL)
            holder.waitUntilExit()
        }
        #expect(eventually { !MountHolderProbe.isEmpty(place.path + "/n") })
        let outcome = try place.run("unmount", place.path + "/n")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("sleep (pid \(holder.processIdentifier), working directory)"))
        #expect(try place.run("unmount", "--lazy", place.path + "/n").status == 0)
    }

    @Test func anAppWithoutTheKeyIsNotShared() throws {
        let place = try Workplace()
        try place.run("new", "Ledger")
        let outcome = try place.run("share", "mount", "ledger", place.path + "/s")
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == "apphome: error: Ledger does not share its Documents: Info.plist lacks"
                + " UIFileSharingEnabled (a device says InstallationLookupFailed)."
                + " Add the key and install again.\n"
        )
    }

    @Test func aForegroundMountServesOthersAndASignalUnmountsAll() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("new", "Ledger")
        let foreground = try start(["mount", "Notes", place.path + "/n", "--foreground"], in: place.device)
        #expect(eventually { mounts(below: place.path).count == 1 })
        #expect(try place.run("mount", "Ledger", place.path + "/l").status == 0)
        #expect(place.daemonProcessIDs.isEmpty)
        foreground.process.interrupt()
        #expect(try foreground.wait().status == 0)
        #expect(mounts(below: place.path) == [])
    }

    @Test func whatIsMadeThroughAForegroundMountHasTheModeThatItsMakerAskedFor() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let foreground = try start(
            ["-c", "umask 077; exec \"$0\" mount Notes \"$1\" --foreground", program, place.path + "/n"],
            in: place.device, program: "/bin/sh")
        #expect(eventually { mounts(below: place.path).count == 1 })
        let file = place.path + "/n/Documents/a"
        #expect(TestKit.run("/bin/sh", "-c", "umask 022; >\(file) && mkdir \(file).d") == 0)
        for (path, mode) in [(file, 0o644), (file + ".d", 0o755)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        foreground.process.interrupt()
        #expect(try foreground.wait().status == 0)
    }

    @Test func aDaemonOfAServiceManagerWaitsForOneThatServesAndTakesItsPlace() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        let service = try start(["daemon", place.device], in: place.device)
        let impatient = try start(["daemon", place.device], in: place.device)
        for waiting in [service, impatient] {
            #expect(try waiting.errorLine().contains("another daemon serves \(place.device)"))
        }
        impatient.process.terminate()
        #expect(try impatient.wait().status == 0)
        #expect(service.process.isRunning)
        #expect(try place.run("unmount", place.path + "/n").status == 0)
        #expect(try service.errorLine().contains("serving \(place.device)"))
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        #expect(try place.run("info", "Notes").output.contains("pid \(service.process.processIdentifier),"))
        service.process.terminate()
        #expect(try service.wait().status == 0)
        #expect(mounts(below: place.path) == [])
    }

    @Test func aDaemonOfAServiceManagerStaysUntilASignal() throws {
        let place = try Workplace()
        let early = try place.run("daemon", place.device)
        #expect(early.status == 1 && early.errors.contains("there is no device \(place.device)"))
        try place.run("new", "Notes")
        #expect(eventually { place.daemonProcessIDs.isEmpty })
        let service = try start(["daemon", place.device], in: place.device)
        #expect(eventually { FileManager.default.fileExists(atPath: place.device + "/run/daemon.sock") })
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        #expect(try place.run("info", "Notes").output.contains("pid \(service.process.processIdentifier),"))
        #expect(try place.run("unmount", place.path + "/n").status == 0)
        #expect(try place.run("mount", "Notes", place.path + "/n").status == 0)
        #expect(service.process.isRunning)
        service.process.terminate()
        #expect(try service.wait().status == 0)
        #expect(mounts(below: place.path) == [])
    }

    @Test func aLinkThatLeadsNowhereIsNoMountPoint() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/link", withDestinationPath: place.path + "/nowhere")
        for directory in [place.path + "/link", ""] {
            let outcome = try place.run("mount", "Notes", directory)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasSuffix("is not a directory; a mount needs an empty one\n"))
        }
    }

    @Test func aMountInsideTheDeviceIsRefusedByWhateverName() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        let link = place.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: place.device)
        for device in [place.device, place.device + "/", link] {
            for directory in [place.device + "/m", link + "/run/m"] {
                let outcome = try apphome("mount", "Notes", directory, in: device)
                #expect(outcome.status == 1)
                #expect(outcome.errors.contains("lies in the device's own folder"), "\(outcome)")
                #expect(!FileManager.default.fileExists(atPath: directory))
            }
        }
        #expect(mounts(below: place.path) == [])
    }

    @Test func aMountInsideThatKeepsAHomeBusyIsNamed() throws {
        let place = try Workplace()
        try place.run("new", "Notes")
        try place.run("new", "Ledger")
        try place.run("mount", "Notes", place.path + "/n")
        let inner = place.path + "/n/Documents/inner"
        #expect(try place.run("mount", "Ledger", inner).status == 0)
        #expect(try place.run("unmount", place.path + "/n").errors.contains("the mount at \(inner)"))
        #expect(try place.run("unmount", inner, place.path + "/n").status == 0)
    }

    @Test func badUsageIs64AndSaysSoOnOneLine() throws {
        let place = try Workplace()
        for arguments in [["mount", "Notes"], ["frobnicate"], ["mount", "a", "b", "--names", "windows"]] {
            let outcome = try apphome(arguments, in: place.device)
            #expect(outcome.status == 64)
            #expect(outcome.errors.hasPrefix("apphome: error: "))
            #expect(outcome.errors.split(separator: "\n").count == 1)
            #expect(!outcome.errors.contains(".."))
        }
        #expect(!FileManager.default.fileExists(atPath: place.device))
    }
}

import CLinux
import Device
import Foundation
import Posix
import TestKit
import Testing
import Wire

@testable import DeviceServer

@Suite struct FindingMemoryTests {
    private func all(_ memory: FindingMemory, of apps: [String]? = nil) -> [RememberedFinding] {
        var (found, page) = ([RememberedFinding](), memory.page(of: apps, after: nil))
        found += page.findings
        while let next = page.next {
            page = memory.page(of: apps, after: next)
            found += page.findings
        }
        return found
    }

    private func file(_ fixture: EventFixture, _ suffix: String = "") -> String {
        fixture.path + "/Findings/findings.sqlite" + suffix
    }

    @Test func theSameIsCountedAndWhatDiffersInAByteIsKeptApart() throws {
        let fixture = try EventFixture()
        let paths = [
            "a", "a\nb", "a'b\"", "Gr\u{fc}n", "Gru\u{308}n", "\u{fffd}", "\u{202e}x",
            String(repeating: "p/", count: 2048), "",
        ]
        for _ in 0..<3 { for path in paths { fixture.record("refused", path) } }
        fixture.record("case-saved", "a")
        fixture.record("refused", "a", program: "cat")
        fixture.record("refused", "a", app: "b")
        fixture.record("purged", "a")
        let found = all(fixture.findings)
        #expect(found.count == paths.count + 3)
        let thrice = found.filter { $0.count == 3 }
        #expect(Set(thrice.map { Array(($0.path ?? "").utf8) }) == Set(paths.map { Array($0.utf8) }))
        #expect(thrice.allSatisfy { $0.first < $0.last && $0.code == "refused" && $0.detail == "d" })
        #expect(found.contains { $0.program == "cat" && $0.count == 1 })
        #expect(all(fixture.findings, of: ["b", "c"]).map(\.app) == ["b"])
    }

    @Test func whatFillsTheRingIsStillToBeFoundAfterwards() throws {
        let fixture = try EventFixture()
        try fixture.start()
        fixture.record("case-near-miss", "first")
        for number in 0..<5000 {
            fixture.record("case-near-miss", "n\(number)")
            // As fast as the ring is read.
            if number % 1000 == 0 { fixture.findings.takeIn() }
        }
        let found = all(fixture.findings)
        #expect(found.count == 5001 && found.contains { $0.path == "first" })
        let page = fixture.findings.page(of: nil, after: nil)
        #expect(page.findings.count == 1000 && page.unexamined == 0 && page.forgotten == 0)
    }

    @Test func eventsThatCameTooFastAreCounted() throws {
        let fixture = try EventFixture()
        for _ in 0..<EventRing.capacity + 7 { fixture.record("refused", "p") }
        let page = fixture.findings.page(of: nil, after: nil)
        #expect(page.unexamined == 7)
        #expect(page.findings.map(\.count) == [UInt64(EventRing.capacity)])
    }

    @Test func whatWasSeenLeastRecentlyMakesRoomAndIsCounted() throws {
        let fixture = try EventFixture(mostFindings: 10)
        for number in 0..<10 { fixture.record("refused", "\(number)") }
        fixture.findings.save()
        fixture.record("refused", "0")
        for number in 10..<14 { fixture.record("refused", "\(number)") }
        let found = all(fixture.findings).compactMap(\.path)
        #expect(found.count == 10 && Set(found) == Set(["0"] + (5..<14).map(String.init)))
        #expect(fixture.findings.page(of: nil, after: nil).forgotten == 4)
        try fixture.findings.clear(of: nil)
        #expect(fixture.findings.page(of: nil, after: nil) == RememberedFindings())
    }

    /// A copy of the files is what a daemon finds after the one before was killed.
    @Test func itIsOnTheDiskSoonAndALaterDaemonKnowsIt() throws {
        let (fixture, other) = (try EventFixture(), try EventFixture())
        try fixture.start()
        fixture.record("refused", "p", app: "local.x")
        let isDue: () -> Bool? = { fixture.findings.saveDue == nil ? nil : true }
        let deadline = Deadline(seconds: 30)
        while isDue() == nil, !deadline.hasPassed { usleep(1000) }
        while isDue() == true, !deadline.hasPassed { usleep(1000) }
        try FileManager.default.copyItem(atPath: fixture.path + "/Findings", toPath: other.path + "/Findings")
        let found = all(other.findings)
        #expect(found.map(\.path) == ["p"] && found.map(\.count) == [1])
        other.record("refused", "p", app: "local.x")
        #expect(all(other.findings).map(\.count) == [2])
        // No app has that identifier.
        other.findings.forgetApps()
        #expect(all(other.findings).isEmpty)
    }

    @Test func clearingOneAppLeavesTheOthers() throws {
        let fixture = try EventFixture()
        fixture.record("refused", "p")
        fixture.findings.save()
        fixture.record("refused", "q")
        fixture.record("refused", "p")
        fixture.record("refused", "p", app: "b")
        // What is written and happened again is one.
        #expect(try fixture.findings.clear(of: ["a", "g"]) == 2)
        #expect(all(fixture.findings).map(\.app) == ["b"])
        #expect(try fixture.findings.clear(of: nil) == 1)
        #expect(try fixture.findings.clear(of: nil) == 0)
    }

    /// What somebody or a disk makes of the file.
    private static let damages = [
        "printf nonsense >$F", "printf '' >$F", "rm $F && mkdir -p $F/x", "rm $F && mkfifo $F",
        "ln $F $F.2", "rm $F && ln -s /etc/passwd $F", "sqlite3 $F 'PRAGMA user_version = 2'",
        "sqlite3 $F 'CREATE TABLE more (a)'", "sqlite3 $F 'CREATE VIEW v AS SELECT 1'",
        "printf '\\377%.0s' $(seq 3000) | dd of=$F bs=1 seek=4096 conv=notrunc",
    ]

    @Test func aFileThatIsNotAsItShouldBeIsThrownAway() throws {
        let (fixture, place) = (try EventFixture(), try EventFixture())
        for number in 0..<100 { fixture.record("refused", "\(number)") }
        fixture.findings.save()
        for damage in Self.damages {
            for suffix in ["", "-wal"] {
                _ = run("/bin/mkdir", "-p", place.path + "/Findings")
                #expect(run("/bin/cp", file(fixture, suffix), file(place, suffix)) == 0)
            }
            // As a daemon that ended has left it.
            #expect(try SQLiteProgram.run("PRAGMA wal_checkpoint(TRUNCATE)", on: file(place)).count == 1)
            #expect(run("/bin/bash", "-c", "F='\(file(place))'; { \(damage); } 2>/dev/null") == 0)
            let ring = EventRing()
            let memory = FindingMemory(ring: ring, device: place.device, log: DaemonLog())
            #expect(all(memory).isEmpty, "\(damage)")
            ring.record(app: "a", event: "refused", path: "new", detail: nil)
            #expect(all(memory).map(\.path) == ["new"], "\(damage)")
            #expect(run("/bin/bash", "-c", "rm -rf '\(place.path)/Findings'") == 0)
        }
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func aFullDiskStopsNothingAndWhatItDidNotTakeIsKnownUntilItDoes() throws {
        let fixture = try EventFixture()
        let folder = fixture.path + "/Findings"
        #expect(mkdir(folder, 0o700) == 0)
        try valueOrErrno(lx_mount("none", folder, "tmpfs", 0, "size=4m"))
        defer { _ = lx_umount(folder, lx_mnt_detach) }
        fixture.record("refused", "written")
        fixture.findings.save()
        let filler = try Descriptor(folder + "/filler", flags: O_RDWR | O_CREAT, mode: 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        var size: Int64 = 0
        while (try? FileTree.write(filler.raw, page, offset: size)) != nil { size += 4096 }

        fixture.record("refused", "written")
        for number in 0..<2000 { fixture.record("refused", "\(number)") }
        fixture.findings.save()
        #expect(fixture.findings.saveDue != nil)
        let found = all(fixture.findings)
        #expect(found.count == 2001)
        #expect(found.first { $0.path == "written" }?.count == 2)
        try valueOrErrno(lx_ftruncate(filler.raw, 0))
        try fixture.findings.clear(of: ["b"])
        fixture.findings.save()
        #expect(fixture.findings.saveDue == nil)
        #expect(all(fixture.findings).count == 2001)
    }
}

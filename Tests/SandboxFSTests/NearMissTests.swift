import CLinux
import Glibc
import HomeTree
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

/// Look-ups that failed only for their case: each is an event that names its program, whatever was looked for
/// before.
@Suite struct NearMissTests {
    private func isMissing(_ path: String) -> Bool {
        failure { access(path, F_OK) } == .noSuchFileOrDirectory
    }

    @Test func eachLookupIsAnEvent() throws {
        let mounted = try MountedHome()
        try write("1", to: mounted.documents + "/README.txt")
        for _ in 0..<3 { #expect(isMissing(mounted.documents + "/readme.txt")) }
        #expect(mounted.misses() == ["readme.txt", "readme.txt", "readme.txt"])
        let event = try #require(mounted.events.all.first)
        #expect(event.directory == "Documents")
        #expect(event.program?.processID == getpid())
        guard case .caseNearMiss(_, stored: "README.txt") = event.kind else {
            Issue.record("\(event)")
            return
        }
    }

    @Test func aPlainMissIsRememberedOnceItsDirectoryIsKnown() throws {
        let mounted = try MountedHome()
        #expect(isMissing(mounted.documents + "/a"))
        #expect(mounted.misses() == [])
        #expect(isMissing(mounted.documents + "/b") && isMissing(mounted.documents + "/a"))
        let before = mounted.requests[1]
        for _ in 0..<10 {
            #expect(isMissing(mounted.documents + "/a") && isMissing(mounted.documents + "/b"))
        }
        #expect(mounted.requests[1] == before)
        // Nothing has to be read of what was made here.
        #expect(failure { mkdir(mounted.documents + "/d", 0o755) } == nil)
        #expect(isMissing(mounted.documents + "/d/a") && isMissing(mounted.documents + "/d/a"))
        #expect((mounted.requests[1] ?? 0) - (before ?? 0) == 2)
    }

    @Test func whatCameAfterItWasNotMissed() throws {
        let mounted = try MountedHome()
        for _ in 0..<2 {
            #expect(isMissing(mounted.documents + "/readme.txt"))
            try write("1", to: mounted.documents + "/README.txt")
            #expect(mounted.misses() == [])
            #expect(isMissing(mounted.documents + "/readME.txt"))
            #expect(mounted.misses() == ["readME.txt"])
            mounted.events.clear()
            #expect(failure { unlink(mounted.documents + "/README.txt") } == nil)
            #expect(isMissing(mounted.documents + "/ReadMe.txt"))
            #expect(mounted.misses() == [])
        }
    }

    @Test func whatTheKernelRemembersAsAbsentIsANearMissOnceItIsOne() throws {
        let mounted = try MountedHome()
        #expect(failure { mkdir(mounted.documents + "/d", 0o755) } == nil)
        let path = mounted.documents + "/d/config.json"
        #expect(isMissing(path) && isMissing(path))
        try write("1", to: mounted.documents + "/d/Config.json")
        // The kernel is told when it has its answer.
        #expect(eventually { isMissing(path) && !mounted.events.all.isEmpty })
        let told = mounted.misses().count
        for count in 1...3 {
            #expect(isMissing(path))
            #expect(mounted.misses().count == told + count)
        }
    }

    /// The ways by which a name comes into a directory whose names are known.
    @Test func eachWayToMakeANameMakesANearMiss() throws {
        let mounted = try MountedHome()
        let (documents, other) = (mounted.documents, mounted.home + "/tmp")
        #expect(isMissing(documents + "/x"))
        #expect(mounted.misses() == [])
        try write("1", to: documents + "/File")
        #expect(failure { mkdir(documents + "/Folder", 0o755) } == nil)
        #expect(failure { symlink("File", documents + "/Symlink") } == nil)
        #expect(failure { link(documents + "/File", documents + "/Link") } == nil)
        #expect(failure { mkfifo(documents + "/Fifo", 0o644) } == nil)
        try write("1", to: other + "/a")
        #expect(failure { rename(other + "/a", documents + "/Moved") } == nil)
        try write("1", to: other + "/b")
        #expect(failure { rename(other + "/b", documents + "/File") } == nil)
        let names = ["file", "folder", "symlink", "link", "fifo", "moved"]
        for name in names { #expect(isMissing(documents + "/" + name)) }
        #expect(mounted.misses() == names)
        mounted.events.clear()
        // And ways by which it goes.
        #expect(failure { unlink(documents + "/File") } == nil)
        #expect(failure { rmdir(documents + "/Folder") } == nil)
        #expect(failure { rename(documents + "/Moved", documents + "/Other") } == nil)
        for name in ["file", "folder", "moved", "other"] { #expect(isMissing(documents + "/" + name)) }
        #expect(mounted.misses() == ["other"])
        // A directory keeps what is known of it where it is moved.
        #expect(failure { mkdir(documents + "/d", 0o755) } == nil)
        try write("1", to: documents + "/d/Letter")
        #expect(failure { rename(documents + "/d", other + "/d") } == nil)
        #expect(isMissing(other + "/d/letter"))
        #expect(mounted.misses() == ["other", "letter"])
    }

    @Test func manyOtherMissesHideNone() throws {
        let mounted = try MountedHome()
        try write("1", to: mounted.documents + "/Logo.png")
        for index in 0..<5000 { _ = access(mounted.documents + "/other\(index)", F_OK) }
        #expect(isMissing(mounted.documents + "/logo.png") && isMissing(mounted.documents + "/logo.png"))
        #expect(mounted.misses() == ["logo.png", "logo.png"])
    }

    @Test func whatTheAppDoesNotSeeIsMissedInNoCase() throws {
        let mounted = try MountedHome()
        for _ in 0..<2 {
            for name in ["systemdata", "DOCUMENTS"] { #expect(isMissing(mounted.home + "/" + name)) }
            #expect(mounted.misses() == ["DOCUMENTS"])
            mounted.events.clear()
        }
    }

    @Test func aNameThatTheKernelNeverRemembersIsLookedForToo() throws {
        let mounted = try MountedHome()
        try write("1", to: mounted.documents + "/Caf\u{e9}")
        #expect(isMissing(mounted.documents + "/cafe\u{301}"))
        #expect(isMissing(mounted.documents + "/CAF\u{c9}"))
        #expect(mounted.misses() == ["cafe\u{301}", "CAF\u{c9}"])
        #expect(failure { access(mounted.documents + "/Cafe\u{301}", F_OK) } == nil)
    }

    @Test func theProgramOfAThreadIsItsProcess() throws {
        let mounted = try MountedHome()
        try write("1", to: mounted.documents + "/README.txt")
        let (missed, refused) = (mounted.documents + "/readme.txt", mounted.home + "/x")
        Joined(try NativeThread(name: "other") { _ = access(missed, F_OK) }).join()
        Joined(try NativeThread(name: "other") { mkdir(refused, 0o755) }).join()
        _ = mounted.misses()
        let own = Program(ofThread: getpid())
        #expect(mounted.events.all.map(\.program) == [own, own])
        #expect(own?.name != nil && own?.name != "other")
    }

    /// No program asked for it, and clean-up goes by access times.
    @Test(arguments: NamePolicy.allCases) func aLookAtNamesIsNoAccess(_ policy: NamePolicy) throws {
        let mounted = try MountedHome(policy: policy)
        // As another program left it: what is in it is not known.
        let directory = mounted.container + "/Documents/d"
        #expect(failure { mkdir(directory, 0o755) } == nil)
        try write("1", to: directory + "/Caf\u{e9}")
        let times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: Int(lx_utime_omit))]
        #expect(failure { utimensat(AT_FDCWD, directory, times, 0) } == nil)
        for name in ["caf\u{e9}", "cafe\u{301}", "absent"] {
            _ = access(mounted.documents + "/d/" + name, F_OK)
        }
        _ = mounted.misses()
        #expect(mounted.tree.isUnwritten { true })
        var status = stat()
        #expect(failure { lstat(directory, &status) } == nil)
        #expect(status.st_atim.tv_sec == 1000)
    }
}

extension MountedHome {
    /// The names that only case kept from being found so far.
    func misses() -> [String] {
        tree.waitForEvents(timeoutSeconds: 60)
        return events.all.compactMap { if case .caseNearMiss(let asked, _) = $0.kind { asked } else { nil } }
    }
}

import CLinux
import Glibc
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

@Suite struct NamesTests {
    let composed = "caf\u{e9}"
    let decomposed = "cafe\u{301}"

    @Test func namesThatDifferInCaseAreTwoFiles() throws {
        let mounted = try MountedHome()
        try write("1", to: mounted.documents + "/README.txt")
        try write("2", to: mounted.documents + "/readme.txt")
        #expect(try names(in: mounted.documents) == ["Inbox", "README.txt", "readme.txt"])
    }

    @Test func bothNormalFormsAreOneFileAndTheCreatorsBytesAreListed() throws {
        let mounted = try MountedHome()
        try write("one", to: mounted.documents + "/" + composed)
        #expect(try contents(of: mounted.documents + "/" + decomposed) == "one")
        let exclusive = O_CREAT | O_EXCL | O_WRONLY
        #expect(failure { open(mounted.documents + "/" + decomposed, exclusive, 0o644) } == .fileExists)
        #expect(failure { mkdir(mounted.documents + "/" + decomposed, 0o755) } == .fileExists)
        let listed = try names(in: mounted.documents).filter { $0 != "Inbox" }
        #expect(listed.map { Array($0.utf8) } == [Array(composed.utf8)])
    }

    @Test func aRemovedNameIsGoneInEverySpelling() throws {
        let mounted = try MountedHome()
        try write("one", to: mounted.documents + "/" + composed)
        _ = try contents(of: mounted.documents + "/" + decomposed)
        #expect(failure { unlink(mounted.documents + "/" + composed) } == nil)
        #expect(throws: Errno.noSuchFileOrDirectory) {
            try contents(of: mounted.documents + "/" + decomposed)
        }
    }

    @Test func anAbsentSpellingIsThereOnceTheOtherWasMade() throws {
        let mounted = try MountedHome()
        #expect(failure { access(mounted.documents + "/" + decomposed, F_OK) } == .noSuchFileOrDirectory)
        try write("one", to: mounted.documents + "/" + composed)
        #expect(failure { access(mounted.documents + "/" + decomposed, F_OK) } == nil)
    }

    @Test func ofTwoThatCreateTheTwoFormsExclusivelyOneWins() throws {
        let mounted = try MountedHome()
        for round in 0..<50 {
            let winners = Lock(0)
            let paths = [composed, decomposed].map { "\(mounted.documents)/\(round)\($0)" }
            let threads = try paths.map { path in
                Joined(
                    try NativeThread(name: "creator") {
                        let file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o644)
                        if file >= 0 {
                            close(file)
                            winners.withLock { $0 += 1 }
                        }
                    })
            }
            for thread in threads { thread.join() }
            #expect(winners.withLock { $0 } == 1)
        }
    }

    @Test func invalidUTF8IsRefused() throws {
        let mounted = try MountedHome()
        let path = Array((mounted.documents + "/").utf8) + [0xff, 0xfe, 0]
        let created = path.withUnsafeBytes { bytes in
            failure {
                open(bytes.baseAddress!.assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY, 0o644)
            }
        }
        #expect(created == .illegalByteSequence)
    }

    @Test func namesHoldTwoHundredFiftyFiveUnits() throws {
        let mounted = try MountedHome()
        let longest = mounted.documents + "/" + String(repeating: "a", count: 255)
        try write("x", to: longest)
        #expect(throws: Errno.fileNameTooLong) { try write("x", to: longest + "a") }
        let wide = mounted.documents + "/" + String(repeating: "\u{9577}", count: 255)
        try write("x", to: wide)
        #expect(throws: Errno.fileNameTooLong) { try write("x", to: wide + "a") }
    }

    @Test func aRareSpellingOfAnASCIINameFindsIt() throws {
        let mounted = try MountedHome()
        try write("kelvin", to: mounted.documents + "/K")
        #expect(try contents(of: mounted.documents + "/\u{212a}") == "kelvin")
        #expect(failure { unlink(mounted.documents + "/K") } == nil)
        #expect(failure { access(mounted.documents + "/\u{212a}", F_OK) } == .noSuchFileOrDirectory)
        try write("sign", to: mounted.documents + "/\u{212a}")
        #expect(try contents(of: mounted.documents + "/K") == "sign")
    }

    @Test func whatGoesByARareSpellingIsGoneByItsASCIINameToo() throws {
        let mounted = try MountedHome()
        try write("kelvin", to: mounted.documents + "/K")
        #expect(failure { unlink(mounted.documents + "/\u{212a}") } == nil)
        #expect(eventually { failure { access(mounted.documents + "/K", F_OK) } == .noSuchFileOrDirectory })
        try write("kelvin", to: mounted.documents + "/K")
        #expect(failure { rename(mounted.documents + "/\u{212a}", mounted.documents + "/L") } == nil)
        #expect(eventually { failure { access(mounted.documents + "/K", F_OK) } == .noSuchFileOrDirectory })
    }

    @Test func inSimulatorModeCaseDoesNotMatterAndIsAnEvent() throws {
        let mounted = try MountedHome(policy: .simulator)
        try write("1", to: mounted.documents + "/README.txt")
        #expect(try contents(of: mounted.documents + "/readme.txt") == "1")
        #expect(try names(in: mounted.documents) == ["Inbox", "README.txt"])
        #expect(mounted.events.all.contains { if case .caseSaved = $0.kind { true } else { false } })
    }

    @Test func inLegacyModeBytesAreAsTheyAre() throws {
        let mounted = try MountedHome(policy: .legacy)
        try write("1", to: mounted.documents + "/" + composed)
        #expect(failure { access(mounted.documents + "/" + decomposed, F_OK) } == .noSuchFileOrDirectory)
    }

    @Test func theBundlesNameInAnotherCaseIsAnEvent() throws {
        let missing = try MountedHome()
        #expect(failure { access(missing.home + "/recipes.app", F_OK) } == .noSuchFileOrDirectory)
        #expect(missing.misses() == ["recipes.app"])
        let saving = try MountedHome(policy: .simulator)
        #expect(failure { access(saving.home + "/recipes.app/INFO.plist", F_OK) } == nil)
        #expect(saving.events.saved == ["recipes.app", "INFO.plist"])
        #expect(failure { access(saving.home + "/Recipes.app/Info.plist", F_OK) } == nil)
        #expect(saving.events.saved.count == 2)
    }

    @Test func anotherNormalFormIsFoundOnADeviceTooAndIsNoEvent() throws {
        let mounted = try MountedHome(policy: .simulator)
        try write("1", to: mounted.documents + "/" + composed)
        #expect(try contents(of: mounted.documents + "/" + decomposed) == "1")
        #expect(mounted.events.saved == [])
        #expect(try contents(of: mounted.documents + "/" + decomposed.uppercased()) == "1")
        #expect(mounted.events.saved == [decomposed.uppercased()])
    }
}

extension EventList {
    /// The names that were found though their case is another.
    fileprivate var saved: [String] {
        all.compactMap { if case .caseSaved(let asked, _) = $0.kind { asked } else { nil } }
    }
}

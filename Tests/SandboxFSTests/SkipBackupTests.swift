import CLinux
import Glibc
import HomeTree
import Posix
import SandboxRules
import SystemPackage
import TestKit
import Testing

@Suite struct SkipBackupTests {
    @Test func theFlagIsSetAndListedUnderApplesName() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write("a", to: path)
        #expect(setAttribute("com.apple.MobileBackup", [1], of: path) == nil)
        #expect(attribute("com.apple.MobileBackup", of: path) == [1])
        #expect(attribute("user.com.apple.MobileBackup", of: path) == [1])
        #expect(attributeNames(of: path) == ["com.apple.MobileBackup"])
        #expect(removeAttribute("user.com.apple.MobileBackup", of: path) == nil)
        #expect(attributeNames(of: path) == [])
    }

    @Test func toolsThatCopyOnlyUserAttributesMayHaveThePrefix() throws {
        let mounted = try MountedHome(prefixed: true)
        try write("a", to: mounted.documents + "/a")
        #expect(setAttribute("com.apple.MobileBackup", [1], of: mounted.documents + "/a") == nil)
        #expect(attributeNames(of: mounted.documents + "/a") == ["user.com.apple.MobileBackup"])
    }

    @Test func directoriesCarryItToo() throws {
        let mounted = try MountedHome()
        let caches = mounted.home + "/Library/Caches"
        #expect(setAttribute("com.apple.MobileBackup", [1], of: caches) == nil)
        #expect(attribute("com.apple.MobileBackup", of: caches) == [1])
    }

    @Test func anAttributeOfNoNamespaceIsRefusedAsOnExt4() throws {
        let mounted = try MountedHome()
        try write("a", to: mounted.documents + "/a")
        let set = setAttribute("plain", [1], of: mounted.documents + "/a")
        #expect(set == .operationNotSupported)
        // Version 2; owner rwx, user 1000 rwx, group r-x, mask rwx, others r-x.
        let acl: [UInt8] = [
            2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, 232, 3, 0, 0, 4, 0, 5, 0, 255, 255, 255,
            255,
            16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255,
        ]
        let refused = setAttribute("system.posix_acl_access", acl, of: mounted.documents + "/a")
        #expect(refused == .operationNotSupported)
    }

    /// In its directory are `a`, which is flagged, `b`, which is not, and `d`, a flagged directory that holds
    /// `f`.
    struct Step: Sendable {
        let name: String
        /// What lost its flag, from that directory.
        let lost: [String]
        let act: @Sendable (String) throws -> Void
    }

    static let steps: [Step] = [
        Step(name: "a save", lost: ["a"]) { rename($0 + "/b", $0 + "/a") },
        Step(name: "a save, and then the flag", lost: []) {
            rename($0 + "/b", $0 + "/a")
            flag($0 + "/a")
        },
        Step(name: "a save of a file with the flag", lost: []) {
            flag($0 + "/b")
            rename($0 + "/b", $0 + "/a")
        },
        Step(name: "two saves, of which the second is not flagged", lost: ["a"]) {
            rename($0 + "/b", $0 + "/a")
            flag($0 + "/a")
            try write("b", to: $0 + "/b")
            rename($0 + "/b", $0 + "/a")
        },
        Step(name: "a save and a removal", lost: []) {
            rename($0 + "/b", $0 + "/a")
            unlink($0 + "/a")
        },
        Step(name: "an exchange", lost: ["a"]) { exchange($0 + "/b", $0 + "/a") },
        Step(name: "an exchange, the other way round", lost: ["a"]) {
            exchange($0 + "/a", $0 + "/b")
        },
        Step(name: "an exchange of two with the flag", lost: []) {
            flag($0 + "/b")
            exchange($0 + "/b", $0 + "/a")
        },
        Step(name: "a removal, and a new file", lost: ["a"]) {
            unlink($0 + "/a")
            try write("new", to: $0 + "/a")
        },
        Step(name: "a removal, and a new file with the flag", lost: []) {
            unlink($0 + "/a")
            try write("new", to: $0 + "/a")
            flag($0 + "/a")
        },
        Step(name: "a removal", lost: []) { unlink($0 + "/a") },
        Step(name: "a move out of a flagged directory", lost: ["f"]) {
            rename($0 + "/d/f", $0 + "/f")
        },
        Step(name: "a move out, over a flagged file", lost: ["a"]) {
            rename($0 + "/d/f", $0 + "/a")
        },
        Step(name: "a move of a file with the flag", lost: []) { rename($0 + "/a", $0 + "/c") },
        Step(name: "a directory moved out of a flagged one", lost: ["e"]) {
            mkdir($0 + "/d/e", 0o755)
            rename($0 + "/d/e", $0 + "/e")
        },
        Step(name: "a move into a flagged directory, and out again once it is not", lost: []) {
            rename($0 + "/b", $0 + "/d/b")
            _ = removeAttribute("com.apple.MobileBackup", of: $0 + "/d")
            rename($0 + "/d/b", $0 + "/b")
        },
        Step(name: "moves out of a directory that is flagged between", lost: ["2"]) {
            mkdir($0 + "/e", 0o755)
            for name in ["1", "2"] { try write(name, to: "\($0)/e/\(name)") }
            rename($0 + "/e/1", $0 + "/1")
            flag($0 + "/e")
            rename($0 + "/e/2", $0 + "/2")
        },
        Step(name: "an exchange with what is in a flagged directory", lost: ["b"]) {
            exchange($0 + "/b", $0 + "/d/f")
        },
        Step(name: "a move to where no backup looks", lost: []) { rename($0 + "/d/f", $0 + "/../../tmp/f") },
        Step(name: "a rename out of the way, and a new file", lost: ["a"]) {
            rename($0 + "/a", $0 + "/a~")
            try write("new", to: $0 + "/a")
        },
        Step(name: "a rename out of the way, and another file in its place", lost: ["a"]) {
            rename($0 + "/a", $0 + "/a~")
            rename($0 + "/b", $0 + "/a")
        },
        Step(name: "a flagged directory that is made anew", lost: ["d"]) {
            unlink($0 + "/d/f")
            rmdir($0 + "/d")
            mkdir($0 + "/d", 0o755)
        },
    ]

    /// All in one home, each in a directory of its own: that nobody has flagged again is known after 2 s.
    @Test func whatLosesItsFlagIsAnEvent() throws {
        let mounted = try MountedHome()
        for (number, step) in Self.steps.enumerated() {
            let directory = "\(mounted.documents)/\(number)"
            for path in ["", "/d"] { mkdir(directory + path, 0o755) }
            for path in ["/a", "/b", "/d/f"] { try write(path, to: directory + path) }
            for path in ["/a", "/d"] { Self.flag(directory + path) }
            try step.act(directory)
        }
        let lost = mounted.lost()
        for (number, step) in Self.steps.enumerated() {
            let own = lost.filter { $0.hasPrefix("Documents/\(number)/") }
            #expect(own == step.lost.map { "Documents/\(number)/\($0)" }, "\(step.name)")
        }
        let programs = mounted.events.all.map(\.program?.processID)
        #expect(programs.allSatisfy { $0 == getpid() })
        // Each is told once.
        #expect(mounted.lost() == lost)
    }

    @Test func whatIsMadeAnewMuchLaterHasLostItsFlagToo() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        for flags in [false, true] {
            try write("a", to: path)
            Self.flag(path)
            #expect(failure { unlink(path) } == nil)
            #expect(mounted.lost() == [])
            mounted.events.clear()
            try write("new", to: path)
            if flags { Self.flag(path) }
            #expect(mounted.lost() == (flags ? [] : ["Documents/a"]))
            mounted.events.clear()
        }
    }

    @Test func whatNobodyFlagsAgainIsAnEventByItself() throws {
        let mounted = try MountedHome()
        for name in ["a", "b"] { try write(name, to: mounted.documents + "/" + name) }
        Self.flag(mounted.documents + "/a")
        #expect(failure { rename(mounted.documents + "/b", mounted.documents + "/a") } == nil)
        #expect(attribute("com.apple.MobileBackup", of: mounted.documents + "/a") == nil)
        #expect(eventually { !mounted.events.all.isEmpty })
        #expect(mounted.lost() == ["Documents/a"])
    }

    @Sendable private static func flag(_ path: String) {
        _ = setAttribute("com.apple.MobileBackup", [1], of: path)
    }

    @Sendable private static func exchange(_ one: String, _ other: String) {
        _ = lx_renameat2(lx_at_fdcwd, one, lx_at_fdcwd, other, lx_rename_exchange)
    }

    @Test func theKernelAsksForNoCapabilityBeforeAWrite() throws {
        let mounted = try MountedHome()
        let file = try Descriptor(mounted.documents + "/a", flags: O_WRONLY | O_CREAT, mode: 0o644)
        let before = mounted.requests[22] ?? 0
        for offset in 0..<1000 { #expect(lx_pwrite(file.raw, "x", 1, Int64(offset)) == 1) }
        #expect((mounted.requests[22] ?? 0) - before <= 1)
    }
}

extension MountedHome {
    /// The paths whose flag was lost so far.
    fileprivate func lost() -> [String] {
        tree.waitForEvents(timeoutSeconds: 60)
        return events.all.compactMap {
            if case .skipBackupLost(let name) = $0.kind { "\($0.directory)/\(name)" } else { nil }
        }
    }
}

import Foundation
import SystemPackage
import TestKit
import Testing

/// How names compare in a home, and at once in the views beside it: Files and the device's tree.
@Suite(.serialized) struct NameViewsTests {
    static let policies = ["device", "simulator", "legacy"]

    @Test(arguments: policies)
    func theSystemsDirectoriesHaveTheSpellingsThatNamesHave(_ names: String) throws {
        let views = try NamedViews(names)
        let isFound = names == "simulator"
        for top in views.tops {
            for (name, other) in [
                ("Documents", "documents"), ("Library", "LIBRARY"), ("tmp", "TMP"),
                ("Library/Caches", "library/CACHES"), ("Library/Preferences", "Library/preferences"),
            ] {
                let path = "\(top)/\(other)"
                #expect(number(path) == (isFound ? number("\(top)/\(name)") : nil), "\(path)")
                // Below Library an app may make what it likes.
                if !isFound && name.contains("/") { continue }
                #expect(failure { mkdir(path, 0o755) } == (isFound ? .fileExists : .notPermitted))
                #expect(failure { rmdir(path) } == (isFound ? .notPermitted : .noSuchFileOrDirectory))
                #expect(
                    failure { rename(path, top + (other == "TMP" ? "/Documents/x" : "/tmp/x")) }
                        == (isFound ? .notPermitted : .noSuchFileOrDirectory))
            }
            for name in ["SystemData", "systemdata"] {
                #expect(number("\(top)/\(name)") == nil)
                #expect(failure { mkdir("\(top)/\(name)", 0o755) } == .notPermitted)
            }
        }
        let made = failure { mkdir(views.home + "/library/caches", 0o755) }
        #expect(made == (isFound ? .fileExists : .noSuchFileOrDirectory))
    }

    @Test(arguments: policies)
    func theBundleHasTheSpellingsThatNamesHave(_ names: String) throws {
        let views = try NamedViews(names)
        let path = views.home + "/nOTES.APP"
        let isFound = names == "simulator"
        // Each look is an event, not the first alone.
        for _ in 0..<2 { #expect(number(path) == (isFound ? number(views.home + "/Notes.app") : nil)) }
        #expect((text(path + "/info.plist") != nil) == isFound)
        #expect(failure { mkdir(path, 0o755) } == (isFound ? .fileExists : .notPermitted))
        #expect(failure { rmdir(path) } == (isFound ? .notPermitted : .noSuchFileOrDirectory))
        let made = failure { create(path + "/x") }
        #expect(made == (isFound ? .notPermitted : .noSuchFileOrDirectory))
        let told = try views.events().filter { $0.hasPrefix("case-") && $0.hasSuffix(" nOTES.APP") }
        let event = ["device": "case-near-miss nOTES.APP", "simulator": "case-saved nOTES.APP"][names]
        #expect(event == nil ? told == [] : told.count >= 2 && Set(told) == [event], "\(told)")
    }

    @Test(arguments: ["device", "simulator"])
    func whoeverAsksForANameInAnotherCaseIsNamedEachTime(_ names: String) throws {
        let views = try NamedViews(names)
        let path = views.home + "/Documents/readme.txt"
        try write("1", to: views.home + "/Documents/README.txt")
        let isFound = names == "simulator"
        for _ in 0..<3 { #expect((run("/bin/cat", path) == 0) == isFound) }
        // What was missed between, by whomever, hides nothing.
        for index in 0..<5000 { #expect(number("\(views.home)/Documents/other\(index)") == nil) }
        for program in ["/bin/cat", "/usr/bin/head"] { #expect((run(program, path) == 0) == isFound) }
        let told = try views.toldEvents()
        let expected = isFound ? "case-saved" : "case-near-miss"
        let misses = told.filter { $0.text == "\(expected) Documents/readme.txt" }
        #expect(misses.map(\.program) == ["cat", "cat", "cat", "cat", "head"])
        #expect(Set(misses.map(\.pid)).count == 5 && !misses.contains { $0.pid == nil })
        let mark = try #require(told.last)
        #expect(mark.text.hasPrefix("refused mark-") && mark.pid == getpid())
    }

    @Test(arguments: policies)
    func theInboxIsOneInTheSpellingsThatNamesHave(_ names: String) throws {
        let views = try NamedViews(names)
        let isInbox = names == "simulator"
        try write("mail", to: views.place.path + "/letter")
        // Before there is one, and with one.
        for round in 0..<2 {
            for documents in views.documents {
                let path = documents + "/iNBOX"
                try write("x", to: documents + "/f")
                let made: Errno? = isInbox ? (round == 0 ? .notPermitted : .fileExists) : nil
                #expect(failure { mkdir(path, 0o755) } == made, "\(path)")
                #expect(
                    failure { create(path + "/x") }
                        == (isInbox ? (round == 0 ? .noSuchFileOrDirectory : .notPermitted) : nil))
                // Where there is a directory the kernel says so before it asks.
                #expect(
                    failure { rename(documents + "/f", path) }
                        == (isInbox && round == 0 ? .notPermitted : .isDirectory))
                if !isInbox {
                    #expect(failure { unlink(path + "/x") } == nil && failure { rmdir(path) } == nil)
                    continue
                }
                if round == 0 { continue }
                #expect(text(path + "/LETTER") == "mail")
                #expect(failure { truncate(path + "/letter", 0) } == .notPermitted)
                #expect(failure { link(path + "/letter", documents + "/l") } == .notPermitted)
                #expect(failure { rename(documents + "/f", path + "/f") } == .notPermitted)
                #expect(failure { rmdir(path) } == .notPermitted)
                #expect(failure { rename(path, documents + "/i") } == .notPermitted)
            }
            if round == 1 { continue }
            let put = try views.place.run(
                "share", "put", "--inbox", "Notes", views.place.path + "/letter")
            #expect(put.status == 0, "\(put)")
        }
        let inbox = views.documents[1] + (isInbox ? "/iNBOX" : "/Inbox")
        #expect(failure { rename(inbox + "/letter", views.documents[1] + "/letter") } == nil)
        #expect(text(views.documents[0] + "/letter") == "mail")
    }

    /// What one view makes or removes another's kernel may have heard of under another spelling.
    @Test(arguments: ["device", "simulator"])
    func noViewBelievesItsOldAnswersOfASpelling(_ names: String) throws {
        let views = try NamedViews(names)
        let spellings =
            names == "device"
            ? [("caf\u{e9}", "cafe\u{301}"), ("\u{212a}", "K"), ("K", "\u{212a}")]
            : [("Letter", "lETTER"), ("\u{c9}", "e\u{301}"), ("kk", "\u{212a}K")]
        for (one, other) in spellings {
            for maker in views.documents {
                for seer in views.documents {
                    let path = "\(seer)/\(other)"
                    #expect(number(path) == nil)
                    try write("x", to: "\(maker)/\(one)")
                    #expect(number(path) != nil, "\(one) made in \(maker)")
                    #expect(number("\(seer)/\(one)") == number(path))
                    #expect(failure { rename("\(maker)/\(one)", "\(maker)/t") } == nil)
                    #expect(number(path) == nil, "\(one) moved in \(maker)")
                    #expect(failure { rename("\(maker)/t", "\(maker)/\(one)") } == nil)
                    #expect(text(path) == "x")
                    #expect(failure { unlink("\(maker)/\(one)") } == nil)
                    #expect(number(path) == nil, "\(one) removed in \(maker)")
                }
            }
        }
    }

    @Test func itemsThatCollideUnderAnotherPolicyAllStayReachable() throws {
        let views = try NamedViews("legacy")
        let names = ["README", "readme", "caf\u{e9}", "cafe\u{301}", "\u{212a}", "K", "D", "d"]
        for name in names.dropLast(2) { try write(name, to: views.documents[0] + "/" + name) }
        for name in names.suffix(2) {
            try FileManager.default.createDirectory(
                atPath: views.documents[0] + "/" + name, withIntermediateDirectories: false)
            try write(name, to: "\(views.documents[0])/\(name)/f")
        }
        #expect(failure { openNotUTF8(in: views.documents[0]) } == nil)
        for policy in ["simulator", "device"] {
            try views.mountAgain(policy)
            for documents in views.documents {
                for name in names.dropLast(2) { #expect(bytes("\(documents)/\(name)") == Array(name.utf8)) }
                for name in names.suffix(2) { #expect(text("\(documents)/\(name)/f") == name) }
                let listed = try TestKit.names(in: documents).map { Array($0.utf8) }
                #expect(Set(listed).isSuperset(of: names.map { Array($0.utf8) }) && listed.count == 9)
                #expect(failure { openNotUTF8(in: documents) } == .illegalByteSequence)
            }
        }
        try views.mountAgain("simulator")
        let documents = views.documents[1]
        // A third spelling means the first in the order of bytes, and the other once that is gone.
        #expect(text(documents + "/ReadMe") == "README")
        #expect(failure { mkdir(documents + "/rEADME", 0o755) } == .fileExists)
        #expect(failure { unlink(documents + "/README") } == nil)
        #expect(text(documents + "/ReadMe") == "readme")
        #expect(failure { rename(documents + "/\u{212a}", documents + "/Kelvin") } == nil)
        #expect(text(views.documents[2] + "/\u{212a}") == "K")
        #expect(run("/bin/rm", "-r", documents + "/d", documents + "/D") == 0)
        try views.mountAgain("legacy")
        let left = ["readme", "caf\u{e9}", "cafe\u{301}", "Kelvin", "K"]
        for name in left {
            let expected = name == "Kelvin" ? "\u{212a}" : name
            #expect(bytes("\(views.documents[2])/\(name)") == Array(expected.utf8))
        }
        #expect(failure { openNotUTF8(in: views.documents[2]) } == nil)
        #expect(try TestKit.names(in: views.documents[2]).count == left.count + 1)
    }

    @Test func theSettingHoldsAtOnceWhereNoHomeIsMountedAndTheHomesOptionWhereOneIs() throws {
        let views = try NamedViews("device")
        try write("1", to: views.documents[0] + "/Letter")
        #expect(try views.place.run("device", "set", "names", "simulator").status == 0)
        for documents in views.documents { #expect(number(documents + "/letter") == nil) }
        #expect(try views.place.run("unmount", views.home).status == 0)
        let guests = views.documents.dropFirst()
        for documents in guests { #expect(text(documents + "/letter") == "1") }
        #expect(try views.place.run("device", "set", "names", "legacy").status == 0)
        for documents in guests { #expect(number(documents + "/letter") == nil) }
        #expect(try views.place.run("device", "set", "names", "simulator").status == 0)
        for documents in guests { #expect(text(documents + "/letter") == "1") }
    }

    @Test(arguments: policies)
    func theViewsOwnDirectoriesHaveTheSpellingsThatTheSettingSays(_ names: String) throws {
        let views = try NamedViews(names, app: "Caf\u{e9}")
        #expect(try views.place.run("device", "set", "names", names).status == 0)
        let (files, root) = (views.files, views.root)
        let isFound = [names != "legacy", names == "simulator"]
        #expect((number(files + "/Cafe\u{301}") != nil) == isFound[0])
        #expect((number(files + "/cAF\u{c9}") != nil) == isFound[1])
        #expect((number(root + "/On My iPhone/Cafe\u{301}/.") != nil) == isFound[0])
        #expect((number(root + "/on my iphone/CAF\u{c9}/.") != nil) == isFound[1])
        #expect((number(root + "/PRIVATE/Var/MOBILE/containers/DATA/application") != nil) == isFound[1])
        for directory in [files, root, root + "/private/var"] {
            let error: Errno = names == "legacy" ? .noSuchFileOrDirectory : .illegalByteSequence
            #expect(failure { openNotUTF8(in: directory, create: false) } == error)
        }
    }

    private func openNotUTF8(in directory: String, create: Bool = true) -> Int32 {
        let path = Array((directory + "/").utf8) + [0x61, 0xff, 0]
        return path.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                closed(open($0.baseAddress!, create ? O_CREAT | O_WRONLY : O_RDONLY, 0o644))
            }
        }
    }

    private func create(_ path: String) -> Int32 { closed(open(path, O_CREAT | O_WRONLY, 0o644)) }

    private func closed(_ file: Int32) -> Int32 {
        if file >= 0 { close(file) }
        return min(file, 0)
    }

    /// The inode's number; nil where nothing has the path.
    private func number(_ path: String) -> UInt64? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? UInt64
    }

    private func bytes(_ path: String) -> [UInt8]? { text(path).map { Array($0.utf8) } }
}

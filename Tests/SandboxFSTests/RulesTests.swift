import CLinux
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@Suite struct RulesTests {
    @Test func theHomeShowsBundleDocumentsLibraryAndTmp() throws {
        let mounted = try MountedHome()
        #expect(try names(in: mounted.home) == ["Documents", "Library", "Recipes.app", "tmp"])
        #expect(failure { access(mounted.home + "/SystemData", F_OK) } == .noSuchFileOrDirectory)
    }

    @Test func everyChangeOfTheBundleIsNotPermitted() throws {
        let mounted = try MountedHome()
        let bundle = mounted.home + "/Recipes.app"
        let plist = bundle + "/Info.plist"
        #expect(failure { open(bundle + "/x", O_CREAT | O_WRONLY, 0o644) } == .notPermitted)
        #expect(failure { open(plist, O_WRONLY) } == .notPermitted)
        #expect(failure { open(plist, O_RDONLY | O_TRUNC) } == .notPermitted)
        #expect(failure { unlink(plist) } == .notPermitted)
        #expect(failure { chmod(plist, 0o600) } == .notPermitted)
        #expect(failure { chown(plist, 1, 1) } == .notPermitted)
        #expect(failure { utimes(plist, nil) } == .notPermitted)
        #expect(failure { truncate(plist, 0) } == .notPermitted)
        #expect(setAttribute("user.a", [1], of: plist) == .notPermitted)
        #expect(failure { mkdir(bundle + "/d", 0o755) } == .notPermitted)
        #expect(failure { symlink("a", bundle + "/l") } == .notPermitted)
        #expect(failure { rename(plist, bundle + "/I.plist") } == .notPermitted)
        #expect(failure { link(plist, mounted.documents + "/x") } == .notPermitted)
        #expect(failure { rename(bundle, mounted.home + "/B.app") } == .notPermitted)
        #expect(try contents(of: plist) == "plist")
    }

    @Test func aCopyOfABundleFileIsWritable() throws {
        let mounted = try MountedHome()
        let copy = mounted.documents + "/Info.plist"
        #expect(run("/bin/cp", mounted.home + "/Recipes.app/Info.plist", copy) == 0)
        try write("mine", to: copy)
        #expect(try contents(of: copy) == "mine")
    }

    @Test func theTopLevelIsClosed() throws {
        let mounted = try MountedHome()
        let home = mounted.home
        #expect(failure { open(home + "/x", O_CREAT | O_WRONLY, 0o644) } == .notPermitted)
        #expect(failure { mkdir(home + "/x", 0o755) } == .notPermitted)
        #expect(failure { rename(home + "/Documents", home + "/D") } == .notPermitted)
        #expect(failure { rmdir(home + "/tmp") } == .notPermitted)
        #expect(failure { rmdir(home + "/Library/Caches") } == .notPermitted)
        #expect(failure { rename(home + "/Library/Preferences", home + "/tmp/P") } == .notPermitted)
        #expect(failure { mkdir(home + "/Library/Application Support", 0o755) } == nil)
        #expect(failure { mkdir(home + "/Documents/Recipes.app", 0o755) } == nil)
    }

    @Test func theInboxIsToReadAndToDelete() throws {
        let mounted = try MountedHome()
        let inbox = mounted.documents + "/Inbox"
        let letter = inbox + "/letter"
        try write("own", to: mounted.documents + "/own")
        #expect(try contents(of: letter) == "mail")
        #expect(failure { open(inbox + "/x", O_CREAT | O_WRONLY, 0o644) } == .notPermitted)
        #expect(failure { open(letter, O_WRONLY) } == .notPermitted)
        #expect(failure { chmod(letter, 0o600) } == .notPermitted)
        #expect(failure { link(letter, mounted.documents + "/l") } == .notPermitted)
        #expect(failure { link(mounted.documents + "/own", inbox + "/own") } == .notPermitted)
        #expect(failure { rename(mounted.documents + "/own", inbox + "/own") } == .notPermitted)
        #expect(failure { rename(letter, inbox + "/other") } == .notPermitted)
        let exchanged = lx_renameat2(
            AT_FDCWD, letter, AT_FDCWD, mounted.documents + "/own", lx_rename_exchange)
        #expect(exchanged == -EPERM)
        #expect(failure { rmdir(inbox) } == .notPermitted)
        #expect(failure { rename(letter, mounted.documents + "/letter") } == nil)
        try write("changed", to: mounted.documents + "/letter")
    }

    @Test func anInboxDeeperInDocumentsIsAnOrdinaryFolder() throws {
        let mounted = try MountedHome()
        #expect(failure { mkdir(mounted.documents + "/a", 0o755) } == nil)
        #expect(failure { mkdir(mounted.documents + "/a/Inbox", 0o755) } == nil)
        try write("x", to: mounted.documents + "/a/Inbox/x")
    }

    @Test func anAreaIsThatOfTheCurrentParentForHandlesOpenedEarlier() throws {
        let mounted = try MountedHome()
        let letter = try Descriptor(mounted.documents + "/Inbox/letter", flags: O_RDONLY)
        #expect(failure { fchmod(letter.raw, 0o600) } == .notPermitted)
        #expect(failure { rename(mounted.documents + "/Inbox/letter", mounted.documents + "/l") } == nil)
        #expect(failure { fchmod(letter.raw, 0o600) } == nil)
    }

    @Test func aRefusalIsAnEvent() throws {
        let mounted = try MountedHome()
        #expect(failure { mkdir(mounted.home + "/x", 0o755) } == .notPermitted)
        let refusals = mounted.events.all.filter { if case .refused = $0.kind { true } else { false } }
        #expect(refusals.count == 1)
        #expect(failure { mkdir(mounted.home + "/Recipes.app/x", 0o755) } == .notPermitted)
        #expect(mounted.events.all.last?.directory == "Recipes.app")
    }

    @Test func theHomesLinkCountIsThatOfTheDirectoriesItShows() throws {
        let mounted = try MountedHome()
        #expect(try status(mounted.home).st_nlink == 6)
    }
}

import CLinux
import Posix
import Synchronization
import SystemPackage
import TestKit
import Testing

@testable import HomeTree

/// The names of directories as marks, by which a near miss is known before its look-up is answered.
@Suite struct NameSetTests {
    private func mark(_ name: String) -> NameMark { name.withFileName { NameMark($0) } }
    private func number(_ value: UInt32) -> InodeNumber { InodeNumber(rawValue: value) }

    @Test func aSetKnowsWhatOnlyCaseTellsFromItsNames() {
        var set = NameSet()
        for name in ["README.txt", "caf\u{e9}", "A;"] { set.insert(mark(name)) }
        for name in ["readme.txt", "README.TXT", "CAF\u{c9}", "CAFE\u{301}", "a\u{37e}"] {
            #expect(set.holdsVariant(of: mark(name)), "\(name)")
        }
        // A name is no variant of itself.
        for name in ["README.txt", "readme", "cafe"] { #expect(!set.holdsVariant(of: mark(name)), "\(name)") }
    }

    @Test func aSetHoldsWhatCameAndDidNotGo() {
        var random = SeededRandom(seed: 1)
        var set = NameSet()
        var names: Set<String> = []
        for step in 0..<60_000 {
            // Grows to some thousand names, and shrinks again.
            let name = "N\(random.below(8000))"
            if random.chance(step < 40_000 ? 70 : 20) {
                set.insert(mark(name))
                names.insert(name)
            } else {
                set.remove(mark(name))
                names.remove(name)
            }
        }
        for index in 0..<8000 {
            #expect(set.holdsVariant(of: mark("n\(index)")) == names.contains("N\(index)"))
        }
        #expect(set.sizeBytes < 8000 * 40)
    }

    @Test func oneOfSeveralVariantsThatGoesLeavesTheOthers() {
        var set = NameSet()
        for name in ["Ab", "aB"] { set.insert(mark(name)) }
        set.remove(mark("Ab"))
        #expect(set.holdsVariant(of: mark("ab")) && !set.holdsVariant(of: mark("aB")))
    }

    @Test func anyNumberOfVariantsTakesNoRoom() {
        var set = NameSet()
        let names = (0..<5000).map { index in
            String((0..<13).map { index >> $0 & 1 == 0 ? "a" : "A" }.joined())
        }
        for name in names { set.insert(mark(name)) }
        #expect(set.sizeBytes < 1000)
        for name in names.dropLast() { set.remove(mark(name)) }
        #expect(set.holdsVariant(of: mark(names[0])))
    }

    private func answer(
        _ name: String, in directory: InodeNumber, _ sets: inout NameSets
    ) -> NameSets.Answer {
        name.withFileName { sets.answer($0, mark(name), in: directory).0 }
    }

    private func miss(_ name: String) -> NameSets.Miss {
        NameSets.Miss(
            directory: number(1), mark: mark(name), name: name.withFileName { $0.terminated }, program: nil)
    }

    @Test func whatComesWhileADirectoryIsReadWasNotMissedBefore() throws {
        var sets = NameSets()
        _ = sets.wait(miss("old"))
        _ = sets.wait(miss("new"))
        let next = sets.takeJob()
        let job = try #require(next)
        sets.insert(mark("New"), in: number(1))
        let before = ["new", "old"].map { answer($0, in: number(1), &sets) }
        #expect(before == [.suspect(isSmall: true), .unknown])
        var names = NameSet()
        for name in ["Old", "New"] { names.insert(mark(name)) }
        let suspects = sets.finish(job, names)
        #expect(suspects.map(\.name) == [miss("old").name])
        sets.remove(mark("New"), in: number(1))
        let after = ["new", "old"].map { answer($0, in: number(1), &sets) }
        #expect(after == [.absent, .suspect(isSmall: true)])
    }

    @Test func theSetsThatWereAskedLongestAgoMakeRoom() {
        var sets = NameSets(limitBytes: 100_000)
        for directory in 1...50 as ClosedRange<UInt32> {
            sets.begin(number(directory))
            for index in 0..<200 { sets.insert(mark("\(index)"), in: number(directory)) }
            _ = answer("x", in: number(1), &sets)
        }
        let sizeBytes = sets.sizeBytes
        #expect(sizeBytes <= 100_000)
        let kept = [1, 2, 50].map { answer("x", in: number($0), &sets) }
        #expect(kept == [.absent, .unknown, .absent])
        // One alone may take half of the room.
        for index in 0..<10_000 { sets.insert(mark("\(index)"), in: number(50)) }
        let large = answer("x", in: number(50), &sets)
        #expect(large == .unknowable)
    }

    @Test func whatIsRememberedAsAbsentIsAskedForAgainWhereItWouldBeMissed() {
        var sets = NameSets()
        sets.begin(number(1))
        // Whoever makes a file has looked for it before.
        for name in ["readme", "other", "README"] { _ = answer(name, in: number(1), &sets) }
        let own = sets.insert(mark("other"), in: number(1))
        let elsewhere = sets.insert(mark("Readme"), in: number(2))
        let missed = sets.insert(mark("README"), in: number(1))
        let again = sets.insert(mark("ReadMe"), in: number(1))
        #expect(own == [] && elsewhere == [] && again == [])
        #expect(missed == [miss("readme").name])
    }

    /// Of what makes room kernels must not remember that it is absent: it could be missed later.
    @Test func absentNamesThatAreTooManyAreForgottenByKernels() {
        var absences = RememberedAbsences()
        var forgotten: [[CChar]] = []
        let names = (0..<40_000).map(String.init)
        for name in names {
            name.withFileName {
                forgotten += [absences.add($0, mark(name), in: number(1))].compactMap { $0?.name }
            }
        }
        let kept = absences.takeAll(in: [number(1)]).map(\.name)
        #expect(forgotten.count > 20_000 && !kept.isEmpty)
        #expect(Set(kept + forgotten) == Set(names.map { $0.withFileName { $0.terminated } }))
        #expect(absences.takeAll(in: [number(1)]).isEmpty)
    }

    /// A large directory is not read before the answer, and once for all that was missed there.
    @Test func whatIsMissedInALargeDirectoryIsFoundAMomentLater() throws {
        let fixture = try TreeFixture()
        fixture.tree.forget(try fixture.make("Logo").inode)
        for index in 0..<4000 { fixture.tree.forget(try fixture.make("File\(index)").inode) }
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("x") }
        fixture.tree.waitForEvents(timeoutSeconds: 60)
        let missed = ["logo", "LOGO"] + (0..<1000).map { "file\($0)" }
        for name in missed {
            #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup(name) }
        }
        fixture.tree.waitForEvents(timeoutSeconds: 60)
        let asked = fixture.events.all.map {
            if case .caseNearMiss(let asked, _) = $0.kind { asked } else { "" }
        }
        #expect(asked.sorted() == missed.sorted())
    }

    /// Another container brings names that differ by case from what kernels remember as absent.
    @Test func whatAnotherContainerBringsIsMissedThere() throws {
        let cache = ToldNames()
        let fixture = try TreeFixture()
        fixture.tree.caches.add(cache)
        for name in ["x", "readme"] {
            #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup(name) }
            fixture.tree.waitForEvents(timeoutSeconds: 60)
        }
        // The first was before anything was known of the directory.
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("x") }
        let other = try TemporaryFolder()
        try other.directory("data/Documents")
        try write("1", to: other.path + "/data/Documents/README")
        try fixture.tree.replaceContainer(
            Descriptor(other.path + "/data", flags: lx_o_path | lx_o_directory),
            staging: Descriptor(try other.directory("staging"), flags: lx_o_directory))
        #expect(Set(["readme", "x"]).isSubset(of: cache.names.withLock { $0 }))
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("readme") }
        fixture.tree.waitForEvents(timeoutSeconds: 60)
        #expect(!fixture.events.all.isEmpty)
    }

    @Test func moreThanCanWaitAreCounted() {
        var sets = NameSets()
        for index in 0..<NameSets.mostMisses + 7 { _ = sets.wait(miss("\(index)")) }
        let refused = sets.takeUnexamined()
        #expect(refused == 7)
        // What the others wait for is another directory from now on.
        sets.drop(number(1))
        let dropped = sets.takeUnexamined()
        let sizeBytes = sets.sizeBytes
        #expect(dropped == NameSets.mostMisses && sizeBytes == 0)
    }

    @Test func whatNobodyCanExamineIsTold() throws {
        let fixture = try TreeFixture()
        fixture.tree.tables.withLock { $0.nameSets = NameSets(limitBytes: 2000) }
        for index in 0..<200 { fixture.tree.forget(try fixture.make("File\(index)").inode) }
        for index in 0..<10 {
            #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("file\(index)") }
        }
        fixture.tree.waitForEvents(timeoutSeconds: 60)
        let counts = fixture.events.all.map { if case .unexamined(let count) = $0.kind { count } else { 0 } }
        #expect(counts.reduce(0, +) == 10)
    }

    @Test func whatHasGoneCostsNoLookAtItsDirectory() throws {
        let fixture = try TreeFixture()
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("x") }
        fixture.tree.waitForEvents(timeoutSeconds: 60)
        for name in ["Removed", "Moved"] { fixture.tree.forget(try fixture.make(name).inode) }
        try fixture.remove("Removed")
        try fixture.rename("Moved", to: "There")
        let answers = fixture.tree.tables.withLock { tables in
            ["removed", "moved", "there"].map { answer($0, in: fixture.documents, &tables.nameSets) }
        }
        #expect(answers == [.absent, .absent, .suspect(isSmall: true)])
    }

    @Test func aMissThatManyTimesIsTheSameReadsItsDirectoryOnce() throws {
        let fixture = try TreeFixture()
        fixture.tree.forget(try fixture.make("README").inode)
        for _ in 0..<3 {
            #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("readme") }
            fixture.tree.waitForEvents(timeoutSeconds: 60)
        }
        let hint = fixture.tree.tables.withLock { $0.nameSets.hints[fixture.documents, mark("readme")] }
        #expect(hint == "README".withFileName { $0.terminated })
        // It is no more than a hint.
        try fixture.rename("README", to: "ReadMe")
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("readme") }
        try fixture.remove("ReadMe")
        #expect(throws: Errno.noSuchFileOrDirectory) { try fixture.lookup("readme") }
        let stored = fixture.events.all.map {
            if case .caseNearMiss(_, let stored) = $0.kind { stored } else { "" }
        }
        #expect(stored == ["README", "README", "README", "ReadMe"])
    }
}

/// A kernel that remembers nothing.
private final class ToldNames: KernelCache {
    let names = Mutex<Set<String>>([])

    func forgetName(_ name: [UInt8], in directory: InodeNumber) {
        _ = names.withLock { $0.insert(String(decoding: name, as: UTF8.self)) }
    }
    func forgetContents(of inode: InodeNumber) {}
    func waitUntilTaken(timeoutSeconds: Double) -> Bool { true }
}

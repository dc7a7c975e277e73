import CLinux
import Posix
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

    @Test func whatComesWhileADirectoryIsReadWasNotMissedBefore() throws {
        var sets = NameSets()
        func miss(_ name: String) -> NameSets.Miss {
            NameSets.Miss(
                directory: number(1), mark: mark(name), name: name.withFileName { $0.terminated },
                program: nil)
        }
        guard case .began = sets.wait(miss("old")), case .joined = sets.wait(miss("new")) else {
            Issue.record("they do not wait")
            return
        }
        let next = sets.takeJob()
        let job = try #require(next)
        sets.insert(mark("New"), in: number(1))
        guard case .suspect = sets.answer(mark("new"), in: number(1)),
            case .unknown = sets.answer(mark("old"), in: number(1))
        else {
            Issue.record("what came is not known")
            return
        }
        var names = NameSet()
        for name in ["Old", "New"] { names.insert(mark(name)) }
        #expect(sets.finish(job, names).map(\.name) == [miss("old").name])
        sets.remove(mark("New"), in: number(1))
        guard case .absent = sets.answer(mark("new"), in: number(1)),
            case .suspect = sets.answer(mark("old"), in: number(1))
        else {
            Issue.record("the set is not true")
            return
        }
    }

    @Test func theSetsThatWereAskedLongestAgoMakeRoom() {
        var sets = NameSets(limitBytes: 100_000)
        for directory in 1...50 as ClosedRange<UInt32> {
            sets.begin(number(directory))
            for index in 0..<200 { sets.insert(mark("\(index)"), in: number(directory)) }
            _ = sets.answer(mark("x"), in: number(1))
        }
        #expect(sets.sizeBytes <= 100_000)
        guard case .absent = sets.answer(mark("x"), in: number(1)),
            case .unknown = sets.answer(mark("x"), in: number(2)),
            case .absent = sets.answer(mark("x"), in: number(50))
        else {
            Issue.record("another one made room")
            return
        }
        for index in 0..<10_000 { sets.insert(mark("\(index)"), in: number(50)) }
        guard case .unknowable = sets.answer(mark("x"), in: number(50)) else {
            Issue.record("it takes more than half of the room")
            return
        }
    }

    @Test func moreThanCanWaitAreCounted() {
        var sets = NameSets()
        for index in 0..<1500 {
            let name = "\(index)"
            _ = sets.wait(
                .init(
                    directory: number(1), mark: mark(name), name: name.withFileName { $0.terminated },
                    program: nil))
        }
        #expect(sets.takeUnexamined() == 1500 - 1024)
        // What the others wait for is another directory from now on.
        sets.drop(number(1))
        #expect(sets.takeUnexamined() == 1024)
        #expect(sets.sizeBytes == 0)
    }
}

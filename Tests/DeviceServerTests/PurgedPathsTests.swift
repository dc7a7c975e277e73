import Testing

@testable import DeviceServer

@Suite struct PurgedPathsTests {
    @Test func eachPathIsToldOnceAndOnlyOfItsApp() {
        let purged = PurgedPaths()
        purged.add(["tmp/a", "Library/Caches/b"], of: "one")
        #expect(!purged.take({ "tmp/a" }, of: "two"))
        #expect(!purged.take({ "tmp/c" }, of: "one"))
        #expect(purged.take({ "tmp/a" }, of: "one"))
        #expect(!purged.take({ "tmp/a" }, of: "one"))
        #expect(purged.take({ "Library/Caches/b" }, of: "one"))
    }

    @Test func noPathIsMadeWhereNothingWasTaken() {
        let purged = PurgedPaths()
        purged.add(["tmp/a"], of: "one")
        _ = purged.take({ "tmp/a" }, of: "one")
        var isMade = false
        let isTaken = purged.take(
            {
                isMade = true
                return "tmp/a"
            }, of: "one")
        #expect(!isTaken && !isMade)
    }

    /// "\u{e9}" in two spellings is two names on the disk.
    @Test func namesAreComparedByTheirBytes() {
        let purged = PurgedPaths()
        purged.add(["tmp/e\u{301}"], of: "one")
        #expect(!purged.take({ "tmp/\u{e9}" }, of: "one"))
        #expect(purged.take({ "tmp/e\u{301}" }, of: "one"))
    }

    @Test func theyAreBoundedAndMakeRoomForOthers() {
        let purged = PurgedPaths()
        purged.add((0..<PurgedPaths.most + 5).map { "tmp/\($0)" }, of: "one")
        #expect(purged.room == 0)
        #expect(!purged.take({ "tmp/\(PurgedPaths.most)" }, of: "one"))
        #expect(purged.take({ "tmp/0" }, of: "one") && purged.room == 1)
        purged.forget("one")
        #expect(purged.room == PurgedPaths.most && !purged.take({ "tmp/1" }, of: "one"))
    }
}

import Testing

@testable import FuseKit

@Suite struct ReaderThreadsTests {
    @Test func aThreadThatEndsBeforeItsMakerHasListedItIsJoinedToo() {
        var readers = ReaderThreads<String>()
        _ = readers.begin()
        readers.end()
        let early = readers.close()
        #expect(early == nil)
        readers.list("first")
        let ended = readers.close()
        #expect(ended == ["first"])
    }

    @Test func onceAllHaveEndedNoneBegins() {
        var readers = ReaderThreads<String>()
        _ = readers.begin()
        readers.list("first")
        let early = readers.close()
        #expect(early == nil)
        readers.end()
        let ended = readers.close()
        #expect(ended == ["first"])
        let mayBegin = readers.begin()
        #expect(!mayBegin)
        let again = readers.close()
        #expect(again == [])
    }

    @Test func aThreadThatCannotBeMadeCountsForNothing() {
        var readers = ReaderThreads<String>()
        _ = readers.begin()
        readers.list(nil)
        #expect(readers.isIdle)
        let ended = readers.close()
        #expect(ended == [])
    }
}

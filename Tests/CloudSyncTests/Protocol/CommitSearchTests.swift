import Foundation
import Testing

@testable import CloudSync

/// The commit protocol on every way that a few requests can go (SYNC.md 7.4).
struct CommitSearchTests {
    /// Two devices that say three operations in all, and one fault anywhere.
    @Test(.timeLimit(.minutes(3))) func everyOrderAndEveryFaultOfThreeOperationsIsWell() async throws {
        var search = CommitSearch([2, 1], faults: 1)
        #expect(try await search.run() == [])
        #expect(search.ends > 100)
    }

    @Test func onAStoreThatOverwritesTheSearchFindsTheLoss() async throws {
        var search = CommitSearch([1, 1], faults: 0, keepsWhatIsThere: false)
        #expect(try await search.run() != [])
    }

    /// By hand: `COMMIT_SEARCH=2,2,2` (operations of the one, of the other, faults).
    @Test(.enabled(if: ProcessInfo.processInfo.environment["COMMIT_SEARCH"] != nil))
    func aLargerScopeIsWellToo() async throws {
        let text = ProcessInfo.processInfo.environment["COMMIT_SEARCH"] ?? ""
        let numbers = text.split(separator: ",").compactMap { Int($0) }
        try #require(numbers.count > 2)
        var search = CommitSearch(Array(numbers.dropLast()), faults: numbers[numbers.count - 1])
        #expect(try await search.run() == [])
        print("\(search.states) states, \(search.ends) ends")
    }
}

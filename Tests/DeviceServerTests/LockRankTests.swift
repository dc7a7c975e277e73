import Posix
import Testing

@Suite struct LockRankTests {
    @Test func locksAreTakenInTheirOrder() {
        let (first, second) = (Lock(0, rank: .mounts), Lock(0, rank: .shownTrees))
        let leaf = Gate(0, rank: .leaf)
        for _ in 0..<2 {
            first.withLock { _ in second.withLock { _ in leaf.update { $0 += 1 } } }
        }
        #expect(leaf.update { $0 } == 2)
    }

    @Test func theOtherOrderEndsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            let (first, second) = (Lock(0, rank: .mounts), Lock(0, rank: .shownTrees))
            second.withLock { _ in first.withLock { _ in } }
        }
    }

    @Test func oneRankIsTakenOnce() async {
        await #expect(processExitsWith: .failure) {
            let (one, other) = (Gate(0, rank: .mounts), Lock(0, rank: .mounts))
            one.update { _ in other.withLock { _ in } }
        }
    }
}

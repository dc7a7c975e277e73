import CloudSync
import Testing

@testable import simulate

/// Tens of thousands of histories run in one process.
struct WorldTests {
    /// An engine that was dropped is freed as well: nothing in it holds itself.
    @Test(arguments: [UInt64(7), 11, 62545])
    func aHistoryLeavesNothingBehind(seed: UInt64) {
        weak var world: World?
        weak var device: Device?
        weak var disk: Disk?
        weak var engine: SyncEngine?
        var hadEngine = false
        do {
            let made = World(Plan(seed: seed), rules: .all)
            (world, device) = (made, made.devices.first)
            disk = made.devices.first?.disk
            made.timeline.schedule(at: 0) { [unowned made] in
                engine = made.devices.first?.engine
                hadEngine = engine != nil
            }
            made.run()
        }
        #expect(hadEngine)
        #expect(world == nil)
        #expect(device == nil)
        #expect(disk == nil)
        #expect(engine == nil)
    }
}

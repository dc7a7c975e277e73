import CloudSync
import Testing

@testable import SyncLog
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

    /// Else it would still come when nothing fails any more.
    @Test(arguments: [UInt64(7), 2_715_842]) func allThatAPlanHasComesBeforeItsEnd(seed: UInt64) {
        let plan = Plan(seed: seed)
        #expect(plan.steps.allSatisfy { $0.time <= plan.end })
    }

    /// It came back by a power failure in between.
    @Test func whatWasReplacedWhenADeviceWasSavedIsSoWhenThatIsSetBack() {
        let ledger = Ledger()
        let (old, other) = (ledger.makeToken(), ledger.makeToken())
        for token in [old, other] {
            ledger.acknowledge(token, [UInt8(token.number)], device: 0, path: "a", time: 0)
        }
        ledger.supersede(old, on: 0)
        let saved = ledger.superseded(on: 0)
        ledger.comesBack(old, on: 0, since: 0)
        ledger.now = { 2 }
        ledger.supersede(other, on: 0)
        ledger.undo(on: 0, since: 1, keeping: saved) { _ in true }
        #expect(ledger.owed == [other])
    }

    /// What came of its replacement is in the cloud, though the device does not know that it wrote it twice.
    @Test func whatWasWrittenAgainIsReplacedAsBeforeWhenThatIsSetBack() {
        let ledger = Ledger()
        let token = ledger.makeToken()
        ledger.acknowledge(token, [1], device: 0, path: "a", time: 0)
        ledger.now = { 2 }
        ledger.supersede(token, on: 0)
        ledger.acknowledge(token, [1], device: 0, path: "a", time: 3)
        #expect(ledger.owed == [token])
        ledger.undo(on: 0, since: 1, keeping: []) { _ in false }
        #expect(ledger.owed.isEmpty)
    }
}

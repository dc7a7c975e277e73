internal import CloudSync
internal import SyncContent

/// A device's clocks: CLOCK_BOOTTIME, which goes on through suspensions, and the wall's, which is set at
/// will.
// Unchecked: see WorldExecutor.
final class DeviceClock: SyncClock, @unchecked Sendable {
    private let disk: Disk
    private let life: Life
    private var timeline: Timeline { disk.timeline }

    init(_ disk: Disk, life: Life) {
        self.disk = disk
        self.life = life
    }

    func now() -> UInt64 { timeline.now + 1_000_000_000 }
    func wallTime() -> Int64 { disk.wallTime }

    func sleep(until moment: UInt64) async throws {
        let waiter = Waiter<Bool>()
        let delay = moment > now() ? moment - now() : 0
        timeline.schedule(in: delay, for: life) { waiter.answer(true) }
        guard await waiter.wait(in: life, otherwise: false) else { throw CancellationError() }
    }
}

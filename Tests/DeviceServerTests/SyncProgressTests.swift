import Testing

@testable import DeviceServer

/// When a sync that somebody waits for is given up.
struct SyncProgressTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func itIsStuckAfterHalfAMinuteInWhichNothingCameNearer() {
        var progress = SyncProgress(at: 0)
        progress.note(cursor: 5, downloads: 2, at: 0)
        for step in 1...29 {
            progress.note(cursor: 5, downloads: 2, at: UInt64(step) * Self.second)
            #expect(!progress.isStuck(at: UInt64(step) * Self.second))
        }
        progress.note(cursor: 5, downloads: 2, at: 30 * Self.second)
        #expect(progress.isStuck(at: 30 * Self.second))
        #expect(!progress.hasBegun)
    }

    @Test func newEntriesOfTheLogAndFewerDownloadsAreProgress() {
        var progress = SyncProgress(at: 0)
        for step: UInt64 in 0..<5 {
            progress.note(cursor: 5 + step / 2, downloads: Int(9 - step), at: step * 60 * Self.second)
            #expect(!progress.isStuck(at: step * 60 * Self.second))
        }
        #expect(progress.hasBegun)
    }

    @Test func downloadsThatComeAndGoAreNone() {
        var progress = SyncProgress(at: 0)
        for step: UInt64 in 0...30 {
            progress.note(cursor: 5, downloads: step.isMultiple(of: 2) ? 1 : 3, at: step * Self.second)
        }
        #expect(progress.isStuck(at: 30 * Self.second))
    }

    @Test func aLongStepAloneIsNotGivenUp() {
        var progress = SyncProgress(at: 0)
        progress.note(cursor: 5, downloads: 0, at: 0)
        progress.note(cursor: 5, downloads: 0, at: 600 * Self.second)
        #expect(!progress.isStuck(at: 600 * Self.second))
    }
}

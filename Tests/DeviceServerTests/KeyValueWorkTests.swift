import Posix
import Testing

@testable import DeviceServer

/// When the property lists of key-value stores are written.
@Suite struct KeyValueWorkTests {
    @Test func aFewSetsShowAtOnceAndSetsWithoutEndInATenthOfTheTime() {
        var showing = KeyValueShowing()
        for _ in 0..<40 {
            #expect(showing.from == nil)
            showing.note(.milliseconds(10))
        }
        for _ in 0..<100 { showing.note(.milliseconds(10)) }
        let wait = showing.from?.millisecondsLeft ?? 0
        #expect((8_000...9_100).contains(wait), "\(wait)")
    }

    /// Also where nobody waits for anything: no time ends that wait.
    @Test func whoeverWaitsHearsOfWhatIsShownLater() {
        var work = KeyValueWork()
        #expect(work.secondsToLook == nil)
        work.showLate("store", KeyValueLateness(from: Deadline(seconds: 3)))
        #expect(work.isNews && work.isBusy)
        let seconds = work.secondsToLook ?? 0
        #expect((2...3.1).contains(seconds), "\(seconds)")
        #expect(work.take().shownLate.isEmpty && !work.shownLate.isEmpty)
        work.showLate("store")
        #expect(work.take().shownLate.count == 1 && work.shownLate.isEmpty)
    }
}

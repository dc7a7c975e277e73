import StoreBasics
import Testing

@testable import CloudSync

@Suite("An account's time goes on by what passes, and by a week at once")
struct TimeAllowanceTests {
    private static let day: Int64 = 86_400
    private static let year = 365 * day
    private static let grace = 7 * day
    private static let start: Int64 = 1_800_000_000

    /// A device: its clocks, and what it was to say of the time.
    private struct Device {
        var allowance: TimeAllowance
        var clock: UInt64 = 1_000_000_000_000
        var date: Int64

        init(ahead: Int64 = 0) {
            date = start + ahead
            allowance = TimeAllowance(
                StoreTime(seconds: start), clock: clock, date: StoreTime(seconds: date), graceSeconds: grace)
        }

        mutating func pass(_ seconds: Int64) {
            clock += UInt64(seconds) * 1_000_000_000
            date += seconds
        }

        /// Switched off for so long.
        mutating func rest(_ seconds: Int64) {
            date += seconds
            clock = 60_000_000_000
            allowance.resume(at: clock, date: StoreTime(seconds: date), graceSeconds: grace)
        }

        /// Commits after a head of this time.
        mutating func commit(after head: Int64) -> Int64 {
            allowance.goOn(to: clock, date: StoreTime(seconds: date), graceSeconds: grace)
            allowance.hear(StoreTime(seconds: head))
            let time = max(head, min(date, allowance.limit.seconds))
            _ = allowance.say(StoreTime(seconds: time))
            return time
        }
    }

    @Test("a right clock says what it is, however long it was asleep")
    func right() {
        var (device, head) = (Device(), Self.start)
        for seconds in [1, 60, 3600, 29 * Self.day, 400 * Self.day, 1] {
            device.pass(seconds)
            head = device.commit(after: head)
            #expect(head == device.date)
        }
    }

    @Test("one that is ten years ahead says a week more, however often it commits, and a week in 30 days")
    func ahead() {
        var (device, head) = (Device(ahead: 10 * Self.year), Self.start)
        for _ in 0..<1000 { head = device.commit(after: head) }
        #expect(head == Self.start + Self.grace)
        var passed: Int64 = 0
        for _ in 0..<(30 * 24) {
            device.pass(3600)
            passed += 3600
            head = device.commit(after: head)
            #expect(head - Self.start - passed <= 2 * Self.grace)
        }
        #expect(head - Self.start - passed > 2 * Self.grace - Self.day)
    }

    @Test("one that is ten years behind says nothing")
    func behind() {
        var (device, head) = (Device(ahead: -10 * Self.year), Self.start)
        for _ in 0..<100 {
            device.pass(Self.day)
            head = device.commit(after: head)
        }
        #expect(head == Self.start)
    }

    @Test("many small steps lose nothing")
    func smallSteps() {
        var device = Device(ahead: 10 * Self.year)
        _ = device.commit(after: Self.start)
        for _ in 0..<10_000 {
            device.clock += 700_000_001
            device.allowance.goOn(
                to: device.clock, date: StoreTime(seconds: device.date), graceSeconds: Self.grace)
        }
        #expect((6_999...7_000).contains(device.allowance.reached.seconds - Self.start - Self.grace))
        #expect((1_620...1_634).contains(device.allowance.creditMilliseconds / 1000))
    }

    @Test("nights in which it was off count, as long as a year of them is")
    func nights() {
        var (device, head) = (Device(), Self.start)
        for _ in 0..<365 {
            device.rest(16 * 3600)
            device.pass(8 * 3600)
            head = device.commit(after: head)
            #expect(head == device.date)
        }
    }

    @Test("after months off it catches up, and a clock that was set to another decade meanwhile does not")
    func months() {
        var (device, head) = (Device(), Self.start)
        device.rest(60 * Self.day)
        head = device.commit(after: head)
        #expect(head == Self.start + 2 * Self.grace + 60)
        var days = 0
        while device.date - head > Self.grace, days < 1000 {
            device.pass(Self.day)
            head = device.commit(after: head)
            days += 1
        }
        #expect((150...200).contains(days))
        var set = Device()
        set.rest(10 * Self.year)
        #expect(set.commit(after: Self.start) <= Self.start + Self.grace + 60)
    }

    @Test("what others say counts, and a log in the future goes no further by this device")
    func others() {
        var device = Device()
        let future = Self.start + 10 * Self.year
        for _ in 0..<10 {
            device.pass(Self.day)
            #expect(device.commit(after: future) == future)
        }
        #expect(device.allowance.limit.seconds >= future)
    }

    @Test("no time of a log or a journal overflows", arguments: [Int64.min, -1, 0, 1 << 40, .max])
    func bounds(seconds: Int64) {
        var allowance = TimeAllowance(
            StoreTime(seconds: seconds), clock: .max, date: StoreTime(seconds: seconds),
            graceSeconds: Self.grace)
        allowance.resume(at: 5, date: StoreTime(seconds: ~(seconds / 2)), graceSeconds: Self.grace)
        allowance.goOn(to: .max, date: StoreTime(seconds: seconds), graceSeconds: Self.grace)
        allowance.hear(StoreTime(seconds: .max))
        #expect(allowance.limit >= allowance.reached)
    }
}

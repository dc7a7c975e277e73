import Foundation
import Posix
import StoreBasics
import Testing

@testable import CloudStore

/// What a folder's file system says the time is, and when it is asked.
@Suite struct FolderClockTests {
    /// CLOCK_BOOTTIME as a test sets it.
    private final class Machine: Sendable {
        private let seconds = Lock(Int64(1000))
        private let count = Lock(0)
        var now: Int64 { seconds.withLock { $0 } * 1_000_000_000 }
        func pass(_ more: Int64) { seconds.withLock { $0 += more } }
        var asked: Int { count.withLock { $0 } }
        func ask(_ answer: Int64?) -> StoreTime? {
            count.withLock { $0 += 1 }
            return answer.map { StoreTime(seconds: $0) }
        }
    }

    private let machine = Machine()
    private let clock: FolderClock

    init() {
        let machine = machine
        clock = FolderClock { machine.now }
    }

    private func seconds(_ answer: Int64?) -> Int64 { clock.time { machine.ask(answer) }.seconds }

    @Test func `It is asked once in ten minutes, and goes on by itself in between`() {
        #expect(seconds(500) == 500)
        machine.pass(600)
        #expect(seconds(9_000) == 1_100)
        #expect(machine.asked == 1)
        machine.pass(1)
        #expect(seconds(9_000) == 9_000)
        #expect(machine.asked == 2)
    }

    @Test func `A file that was written tells it, and then nothing is asked`() {
        for _ in 0..<10 {
            machine.pass(500)
            clock.note(StoreTime(seconds: 77))
            machine.pass(100)
            #expect(seconds(0) == 177)
        }
        #expect(machine.asked == 0)
    }

    @Test func `Where no file can be written it goes on from what was known, or is the machine's`() {
        #expect(abs(seconds(nil) - StoreTime.machine.seconds) <= 1)
        clock.note(StoreTime(seconds: 50))
        machine.pass(1000)
        #expect(seconds(nil) == 1050)
        // And it is not tried again at once.
        let asked = machine.asked
        #expect(seconds(nil) == 1050 && machine.asked == asked)
    }

    @Test func `Dates are kept between two times, which go on`() {
        let (low, high) = (StoreTime(seconds: 100_000), StoreTime(seconds: 200_000))
        clock.keep(in: low...high)
        machine.pass(10)
        #expect(clock.date(of: StoreTime(seconds: 5)).seconds == 100_010)
        #expect(clock.date(of: StoreTime(seconds: 900_000)).seconds == 200_010)
        #expect(clock.date(of: StoreTime(seconds: 150_000)).seconds == 150_000)
        // A clock that is right to the hour is let be.
        #expect(clock.date(of: StoreTime(seconds: 99_000)).seconds == 99_000)
        #expect(clock.dateOfFile(StoreTime(seconds: 5)).seconds == 100_010)
        #expect(clock.dateOfFile(StoreTime(seconds: 900_000)).seconds == 900_000)
    }

    @Test func `The date of an answer is the time of the file that was written`() async throws {
        try await withStore { store, path in
            let key = try key("a/b")
            let written = try await store.putIfAbsent([1], at: key)
            let file = try FileManager.default.attributesOfItem(atPath: path + "/a/b")
            let modified = try #require(file[.modificationDate] as? Date).timeIntervalSince1970
            #expect(written.date.seconds == Int64(modified))
            #expect(try await store.head(key).value?.lastModified == written.date)
            // It was told by the write; before the first one it was asked how old drafts are.
            try FileManager.default.removeItem(atPath: path + "/tmp/clock")
            _ = try await store.list("", after: nil, limit: 9)
            #expect(!FileManager.default.fileExists(atPath: path + "/tmp/clock"))
        }
    }

    @Test func `Who only reads writes one file in ten minutes, which nobody lists`() async throws {
        try await withStore { store, path in
            let answer = try await store.list("", after: nil, limit: 9)
            #expect(answer.value.objects.isEmpty)
            #expect(abs(answer.date.seconds - StoreTime.machine.seconds) <= 2)
            let file = path + "/tmp/clock"
            let old = Date(timeIntervalSince1970: 1_000_000)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file)
            for _ in 0..<5 { _ = try await store.head(try key("a")) }
            let after = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
            #expect(after == old)
        }
    }

    @Test func `What is no file in the place of that one does no harm`() async throws {
        try await withStore { store, path in
            mkfifo(path + "/tmp/clock", 0o600)
            let date = try await store.head(try key("a")).date
            #expect(abs(date.seconds - StoreTime.machine.seconds) <= 2)
        }
    }

    /// As of a machine whose clock is ten years behind what the logs say.
    @Test func `Nothing is dated before what the logs say, and the own time stays what it is`() async throws {
        try await withStore { store, _ in
            let key = try key("a/b")
            let future = StoreTime.machine.adding(seconds: 3_650 * 86_400)
            store.keepDates(in: future...future.adding(seconds: 100))
            let written = try await store.forRecords.putIfAbsent([1], at: key)
            #expect((0...5).contains(written.date.seconds(since: future)))
            let listed = try await store.list("", after: nil, limit: 9)
            #expect(listed.value.objects.map(\.lastModified) == [written.date])
            #expect((0...5).contains(listed.date.seconds(since: future)))
            let own = try #require(await store.ownTime())
            #expect(abs(own.seconds - StoreTime.machine.seconds) <= 5)
            // Ahead of them is only what answers say: others would take what is new for old.
            let past = StoreTime.machine.adding(seconds: -3_650 * 86_400)
            store.keepDates(in: past...past.adding(seconds: 100))
            let now = try await store.put([1], at: key)
            #expect((0...105).contains(now.date.seconds(since: past)))
            let modified = try #require(try await store.head(key).value).lastModified
            #expect(abs(modified.seconds - StoreTime.machine.seconds) <= 5)
        }
    }

    private func withStore(_ body: (DirectoryStore, String) async throws -> Void) async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/store"
        try DirectoryStore.create(at: path)
        try await body(DirectoryStore(path: path), path)
    }
}

import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// What the store tells of devices and apps that are not here: names, last seen, quota.
struct AccountWideTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    private func device(_ seed: UInt64, _ name: String, quota: UInt64? = nil) async -> EngineDevice {
        await EngineDevice(
            store, clock, executor, seed: seed,
            settings: SyncSettings(deviceName: name, quotaBytes: quota))
    }

    private func notes() async throws -> [ObjectKey] {
        try await store.listAll("v1/a/").value.map(\.key).filter { $0.text.contains("/dev/") }
    }

    @Test func aNoteIsReadBackAndNonsenseIsNone() {
        let note = DeviceNote(name: "iPhone", account: DeviceID(bits: 7), cursor: 9, usedBytes: .max)
        #expect(DeviceNote(note.bytes) == note)
        #expect(DeviceNote([]) == nil)
        #expect(DeviceNote(Array(note.bytes.dropLast())) == nil)
        #expect(DeviceNote([UInt8](repeating: 0, count: 5000)) == nil)
        let long = DeviceNote(
            name: String(repeating: "x", count: 800), account: DeviceID(bits: 7), cursor: 1, usedBytes: 1)
        #expect(DeviceNote(long.bytes) == nil)
    }

    @Test func eachDeviceSaysBesideTheLogWhatItIsCalled() async throws {
        let (one, two) = (await device(1, "one"), await device(2, "two"))
        one.disk.write("1", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        two.disk.write("2", to: "b")
        #expect(await convergeAll([one, two]) < 10)
        clock.advance(days: 0.000_1)
        await one.sync()
        let seen = try await one.engine.devices(of: EngineDevice.app)
        #expect(Set(seen.map(\.note.name)) == ["one", "two"])
        // By the ids that the log has, and with those of the account's log.
        let marks = try one.storage.read { try $0.deviceMarks().map(\.device) }
        #expect(Set(seen.map(\.device)) == Set(marks))
        let known = try await one.engine.devices()
        #expect(Set(seen.map(\.note.account)) == Set(known.map(\.device)))
        #expect(Set(try await one.engine.lastSeen().keys) == Set(known.map(\.device)))
    }

    @Test func anAppThatComesWhileTheAccountsLogIsWrittenIsToldToo() async throws {
        let hooked = HookedStore(store)
        let one = await EngineDevice(hooked, clock, executor, seed: 1)
        let engine = one.engine
        hooked.beforeNextEntry {
            let more = SyncedApp(identifier: "local.more", displayName: "More", sharingKeys: [])
            await engine.add(more, disk: EmptyDisk(), storage: MemoryStorage())
        }
        await one.sync()
        await one.sync()
        #expect(Set(try await engine.apps().map(\.identifier)) == ["local.more", EngineDevice.app])
    }

    @Test func whoWaitsForDamagedBytesHearsOfTheirRepair() async throws {
        let (one, two) = (await device(1, "one"), await device(2, "two"))
        one.disk.write("1", to: "a")
        await one.sync()
        for prefix in ["v1/c/", "v1/p/"] {
            for object in try await store.listAll(prefix).value {
                _ = try await store.put([UInt8](repeating: 0, count: Int(object.sizeBytes)), at: object.key)
            }
        }
        #expect(await two.sync().trouble == .storeLies("a document's bytes are missing or wrong"))
        let damaged = try await one.engine.check(sample: 10).damaged
        #expect(try await one.engine.repair(damaged) == 1)
        for _ in 0..<3 {
            try await clock.sleep(until: clock.now() + PollSchedule.idleInterval)
            _ = await two.engine.step()
        }
        #expect(two.disk.contents == ["a": "1"])
    }

    @Test func aDeviceTellsOfItselfOnceAndThenOnceADay() async throws {
        let one = await device(1, "one")
        one.disk.write("1", to: "a")
        await one.sync()
        let key = try #require(try await notes().first)
        func puts() -> Int { store.requests.count { if case .put(key) = $0 { true } else { false } } }
        store.forget()
        for index in 0..<5 {
            one.disk.write("\(index)", to: "a")
            await one.sync()
            clock.advance(days: 0.1)
        }
        #expect(puts() == 0)
        clock.advance(days: 1)
        await one.sync()
        #expect(puts() == 1)
    }

    @Test func whoIsForgottenLeavesNoNotes() async throws {
        let (one, two) = (await device(1, "one"), await device(2, "two"))
        one.disk.write("1", to: "a")
        #expect(await convergeAll([one, two]) < 10)
        #expect(try await notes().count == 2)
        clock.advance(days: 0.000_1)
        await one.sync()
        let gone = try #require(try await one.engine.devices().first { $0.name == "two" })
        try await one.engine.forget(gone.device)
        #expect(try await one.engine.devices().map(\.name) == ["one"])
        #expect(try await notes().count == 1)
        #expect(try await one.engine.lastSeen()[gone.device] == nil)
    }

    @Test func theQuotaCountsAppsThatAreOnOtherDevicesOnly() async throws {
        let one = await device(1, "one", quota: 10_000)
        let other = SyncEngine(storage: MemoryStorage(), surroundings: one.surroundings)
        let disk = TestDisk()
        await other.add(
            SyncedApp(identifier: "local.other", displayName: "Other", sharingKeys: []), disk: disk,
            storage: MemoryStorage())
        disk.write(String(repeating: "x", count: 9_000), to: "large")
        #expect(await other.syncOnce("local.other").isUpToDate)
        one.disk.write(String(repeating: "y", count: 2_000), to: "a")
        #expect(await one.sync().trouble == .overQuota)
        #expect(await one.status.usedBytes == 9_000)
        #expect(await one.status.documentBytes == 0)
        clock.advance(days: 0.000_1)
        await one.sync()
        #expect(try await one.engine.usage().apps == ["local.notes": 0, "local.other": 9_000])
        // It goes up when there is room, which is looked for again.
        disk.delete("large")
        #expect(await other.syncOnce("local.other").isUpToDate)
        clock.advance(days: 1)
        _ = await other.syncOnce("local.other")
        #expect(await one.sync().trouble == nil)
        #expect(try await one.engine.usage().apps["local.notes"] == 2_000)
    }

    @Test func theStatusSaysHowMuchIsOnItsWayAndHowFast() async throws {
        let meter = TransferMeter(clock: clock)
        meter.add(3_000)
        meter.add(2_000)
        #expect(meter.total == 5_000 && meter.bytesPerSecond == 1_000)
        clock.advance(days: 0.000_1)
        #expect(meter.total == 5_000 && meter.bytesPerSecond == 0)
        let one = await device(1, "one")
        await one.sync()
        store.spoil {
            if case .putIfAbsent(let key, _) = $0, key.text.hasPrefix("v1/p/") {
                .refuse(.full(""))
            } else {
                nil
            }
        }
        for name in ["a", "b"] { one.disk.write(String(repeating: name, count: 500), to: LocalPath([name])) }
        await one.sync()
        #expect(await one.status.pendingUploads == 2)
        #expect(await one.status.pendingUploadBytes == 1_000)
        #expect(await one.status.uploadingBytes == 1_000)
        store.heal()
        await one.sync()
        #expect(await one.status.pendingUploads == 0)
        #expect(await one.status.pendingUploadBytes == 0)
        #expect(await one.status.uploadingBytes == 0)
        #expect(await one.status.bytesPerSecond == 200)
    }

    @Test func aDirectorysModeIsToldAfterItsCreationToo() async throws {
        let (one, two) = (await device(1, "one"), await device(2, "two"))
        one.disk.makeDirectory("d")
        one.disk.write("1", to: "d/a")
        #expect(await convergeAll([one, two]) < 10)
        one.disk.setMode(0o700, "d")
        #expect(await convergeAll([one, two]) < 10)
        #expect(two.disk.find("d")?.mode == 0o700)
    }

    @Test func theStatusOfAnAppIsAskedWithoutLookingAtItsRows() async throws {
        let one = await device(1, "one")
        one.disk.makeDirectory("d")
        one.disk.write("12345", to: "d/a")
        await one.sync()
        let status = await one.status
        #expect(status.documents == 2)
        #expect(status.documentBytes == 5)
        #expect(status.usedBytes == 5)
        #expect(status.lastContact != nil)
    }
}

import CloudStore
import Posix
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

/// Devices whose machines have one name are told apart in their account.
struct DeviceNamingTests {
    private static func name(
        of own: UInt128, _ wished: String, among known: [(UInt128, String)]
    ) -> String {
        DeviceNaming(known: known.map { AccountDevice(device: DeviceID(bits: $0.0), name: $0.1) })
            .name(of: DeviceID(bits: own), wished: wished)
    }

    @Test func theFirstFreeNumberIsTaken() {
        #expect(Self.name(of: 5, "vm", among: []) == "vm")
        #expect(Self.name(of: 5, "vm", among: [(9, "other"), (3, "vm-2")]) == "vm")
        #expect(Self.name(of: 5, "vm", among: [(9, "vm")]) == "vm-2")
        #expect(Self.name(of: 5, "vm", among: [(9, "vm"), (3, "vm-2"), (4, "vm-4")]) == "vm-3")
        #expect(Self.name(of: 5, "", among: [(9, "")]) == "")
    }

    @Test func aNameIsKeptWhoeverComesOrGoes() {
        #expect(Self.name(of: 5, "vm", among: [(5, "vm"), (3, "vm-2")]) == "vm")
        #expect(Self.name(of: 3, "vm", among: [(3, "vm-2")]) == "vm-2")
        #expect(Self.name(of: 3, "desk", among: [(3, "vm-2")]) == "desk")
        #expect(Self.name(of: 3, "vm", among: [(3, "vm-desk")]) == "vm")
    }

    @Test func ofTwoThatChoseOneNameAtOnceOneGivesWay() {
        let known: [(UInt128, String)] = [(3, "vm"), (5, "vm")]
        #expect(Self.name(of: 3, "vm", among: known) == "vm")
        #expect(Self.name(of: 5, "vm", among: known) == "vm-2")
        #expect(Self.name(of: 7, "vm", among: known + [(7, "vm")]) == "vm-2")
        #expect(Self.name(of: 7, "vm", among: [(3, "vm"), (5, "vm-2"), (7, "vm-2")]) == "vm-3")
    }

    @Test func twoThatSignInAtOnceHaveTwoNames() async throws {
        let (clock, executor) = (ContentFixture.Clock(), try EngineThread(yields: false))
        let store = HookedStore(SpoiledStore(LogFixture.store(clock)))
        let settings = SyncSettings(deviceName: "vm")
        let one = await EngineDevice(store, clock, executor, seed: 1, settings: settings)
        let two = await EngineDevice(store, clock, executor, seed: 2, settings: settings)
        // It has read that there is nobody, and is about to say its own name.
        let other = two.engine
        store.beforeNextEntry { _ = await other.syncOnce(EngineDevice.app) }
        await one.sync()
        #expect(try await one.engine.devices().map(\.name).contains("vm"))
        // Until each has asked for news.
        for _ in 1...3 {
            clock.advance(days: 0.001)
            _ = await convergeAll([one, two])
        }
        for device in [one, two] {
            let names = try await device.engine.devices().map(\.name)
            #expect(names.sorted() == ["vm", "vm-2"])
        }
    }

    @Test func devicesTellTheirNamesInTheAccountAndBesideTheLogs() async throws {
        let (clock, executor) = (ContentFixture.Clock(), try EngineThread(yields: false))
        let store = SpoiledStore(LogFixture.store(clock))
        var devices: [EngineDevice] = []
        for seed in 1...3 as ClosedRange<UInt64> {
            let settings = SyncSettings(deviceName: "vm")
            devices.append(await EngineDevice(store, clock, executor, seed: seed, settings: settings))
            devices.last?.disk.write("\(seed)", to: LocalPath(["\(seed)"]))
            #expect(await convergeAll(devices) < 10)
        }
        clock.advance(days: 0.000_1)
        await devices[0].sync()
        let known = try await devices[0].engine.devices()
        #expect(known.map(\.name).sorted() == ["vm", "vm-2", "vm-3"])
        let names = Dictionary(known.map { ($0.device, $0.name) }) { $1 }
        for noted in try await devices[0].engine.devices(of: EngineDevice.app) {
            #expect(noted.note.name == names[noted.note.account])
        }
        for (device, name) in zip(devices, ["vm", "vm-2", "vm-3"]) {
            let storage = await device.engine.storage
            let own = try storage.read { try $0.journal()?.device }
            #expect(own.flatMap { names[$0] } == name)
        }
    }
}

import CloudStore
import Testing

@testable import CloudSync

/// A batch is journaled, and its slot cannot be reached.
@Suite(.timeLimit(.minutes(2))) struct FailedSendTests {
    /// Nobody noted it by itself: the directory was flagged as it came, and is looked through as a new one.
    @Test(arguments: [true, false])
    func whatDidNotGoWithItsNewDirectoryIsNotForgotten(isSent: Bool) async throws {
        let clock = ContentFixture.Clock()
        let store = SpoiledStore(LogFixture.store(clock))
        let executor = try EngineThread(yields: false)
        let device = await EngineDevice(store, clock, executor, seed: 1)
        device.disk.makeDirectory("d")
        device.disk.setFlag(true, "d")
        device.disk.write("x", to: "d/x")
        #expect(await device.sync().isUpToDate)
        device.disk.find("d/x")?.isBeingWritten = true
        device.disk.setFlag(false, "d")
        if !isSent {
            store.spoil { request in
                if case .putIfAbsent(let key, _) = request, key.text.contains("/log/") {
                    return .refuse(.unreachable("no network"))
                }
                return nil
            }
        }
        await device.sync()
        store.heal()
        device.disk.find("d/x")?.isBeingWritten = false
        let other = await EngineDevice(store, clock, executor, seed: 2)
        #expect(await convergeAll([device, other]) < 50)
        #expect(other.disk.contents == ["d": "/", "d/x": "x"])
    }
}

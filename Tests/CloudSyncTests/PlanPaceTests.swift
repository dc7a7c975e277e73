import CloudStore
import Testing

@testable import CloudSync

/// An app that works, and an engine that looks at what it did.
struct PlanPaceTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread

    init() throws {
        executor = try EngineThread(yields: false)
    }

    @Test func whileAnAppGoesOnTheDiskIsLookedAtATenthOfTheTime() async throws {
        let device = await EngineDevice(LogFixture.store(clock), clock, executor, seed: 1)
        await device.sync()
        // What is being written is looked at again each time.
        let writing = (0..<100).map { LocalPath(["w\($0)"]) }
        for path in writing {
            device.disk.write("half", to: path)
            device.disk.find(path)?.isBeingWritten = true
        }
        let (began, look): (UInt64, UInt64) = (clock.now(), 10_000)
        device.disk.onLook = { [clock] in clock.pass(look) }
        device.disk.looks = 0
        for index in 0..<400 {
            device.disk.write("\(index)", to: "a")
            _ = await device.engine.step()
            clock.pass(5_000_000)
        }
        let looking = UInt64(device.disk.looks) * look
        #expect(looking > 0)
        #expect(looking * 5 < clock.now() - began)
        for path in writing { device.disk.find(path)?.isBeingWritten = false }
        #expect(await device.sync().isUpToDate)
        #expect(await device.status.isCurrent)
    }

    @Test func aPersonWhoAsksWaitsForNoPace() async {
        let device = await EngineDevice(LogFixture.store(clock), clock, executor, seed: 1)
        device.disk.onLook = { [clock] in clock.pass(1_000_000_000) }
        for index in 0..<2 {
            device.disk.write("\(index)", to: "a")
            #expect(await device.sync().isUpToDate)
        }
    }

    @Test func whatComesAfterARestIsLookedAtAtOnce() async {
        let device = await EngineDevice(LogFixture.store(clock), clock, executor, seed: 1)
        await device.sync()
        device.disk.onLook = { [clock] in clock.pass(100_000) }
        device.disk.write("one", to: "a")
        // Nothing waits for the end of the rest.
        #expect(await device.engine.step().isUpToDate)
        clock.pass(3_000_000_000)
        device.disk.write("two", to: "b")
        device.disk.looks = 0
        _ = await device.engine.step()
        #expect(device.disk.looks > 0)
    }

    @Test func whatComesWithinARestIsLookedAtAtItsEnd() async throws {
        let device = await EngineDevice(LogFixture.store(clock), clock, executor, seed: 1)
        await device.sync()
        device.disk.onLook = { [clock] in clock.pass(100_000) }
        device.disk.write("one", to: "a")
        _ = await device.engine.step()
        device.disk.write("two", to: "b")
        device.disk.looks = 0
        let rest = await device.engine.step()
        #expect(!rest.isUpToDate && device.disk.looks == 0)
        let end = try #require(rest.wakeAt)
        #expect(end > clock.now() && end < clock.now() + 10_000_000)
        clock.pass(end - clock.now())
        _ = await device.engine.step()
        #expect(device.disk.looks > 0)
    }
}

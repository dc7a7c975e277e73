import Testing
import Wire

@testable import DeviceServer

@Suite struct MountRegistryTests {
    private let notes = AppReference(bundleID: "local.Notes", name: "Notes")

    @Test func aHomeIsMountedOnceAndTheRefusalNamesTheFirstPlace() throws {
        let registry = MountRegistry()
        let id = try registry.reserve(kind: .home, app: notes, directory: "/one", source: "s")
        #expect {
            try registry.reserve(kind: .home, app: notes, directory: "/two", source: "s")
        } throws: {
            ($0 as? CommandFailure)?.message.contains("/one") == true
        }
        registry.remove(id)
        _ = try registry.reserve(kind: .home, app: notes, directory: "/two", source: "s")
    }

    @Test func sharingViewsStandBesideTheHomeAndEachOther() throws {
        let registry = MountRegistry()
        for place in ["/a", "/b"] {
            _ = try registry.reserve(kind: .share, app: notes, directory: place, source: "s")
        }
        _ = try registry.reserve(kind: .home, app: notes, directory: "/c", source: "s")
        #expect(registry.all.count == 3)
    }

    @Test func waitingForAnEndEndsWithIt() throws {
        let registry = MountRegistry()
        let id = try registry.reserve(kind: .home, app: notes, directory: "/one", source: "s")
        #expect(!registry.waitUntilEnded(id, timeoutSeconds: 0.01))
        registry.remove(id)
        #expect(registry.waitUntilEnded(id, timeoutSeconds: 10))
    }
}

import Testing

@testable import apphome

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

@Suite struct MountSourceTests {
    @Test func aSourceIsReadBackAsWritten() {
        let source = MountSource(deviceID: "ID", kind: .share, bundleID: "com.example.x")
        #expect(source.description == "apphome:ID:share:com.example.x")
        #expect(MountSource(source.description) == source)
    }

    @Test(arguments: [
        "apphome", "apphome:a:b", "other:ID:home:x", "apphome:ID:sofa:x", "apphome:ID:home:x:y", "",
    ])
    func otherSourcesAreNotOurs(_ text: String) {
        #expect(MountSource(text) == nil)
    }
}

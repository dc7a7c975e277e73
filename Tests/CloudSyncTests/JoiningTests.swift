import CloudStore
import Testing

@testable import CloudSync

/// A device that comes to an account with many documents.
struct JoiningTests {
    let clock = ContentFixture.Clock()
    let executor: EngineThread
    let store: SpoiledStore

    init() throws {
        executor = try EngineThread(yields: false)
        store = SpoiledStore(LogFixture.store(clock))
    }

    /// A device whose documents all went up, and one that knows nothing of them yet.
    private func devices(documents: Int) async -> (EngineDevice, EngineDevice) {
        let one = await EngineDevice(store, clock, executor, seed: 1)
        for index in 0..<documents { one.disk.write("text \(index)", to: LocalPath(["\(index)"])) }
        clock.advance(days: 0.001)
        #expect(await one.sync().isUpToDate)
        store.forget()
        return (one, await EngineDevice(store, clock, executor, seed: 2))
    }

    @Test func whatIsSavedHereGoesUpBeforeTheLastDocumentCame() async throws {
        let (_, two) = await devices(documents: 1_200)
        two.disk.write("mine", to: "mine")
        clock.advance(days: 0.001)
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents.count == 1_201)
        let commit = store.requests.firstIndex {
            if case .putIfAbsent(let key, _) = $0 { key.isOfDocumentsLog } else { false }
        }
        let lastDownload = store.requests.lastIndex {
            if case .get(let key) = $0 { key.text.contains("/p/") } else { false }
        }
        #expect(try #require(commit) < (try #require(lastDownload)))
    }

    @Test func documentsThatDoNotComeAreNotAskedForWithoutPause() async throws {
        let (_, two) = await devices(documents: 1_200)
        store.spoil { request in
            guard case .get(let key) = request, key.text.contains("/p/") else { return nil }
            return .hide
        }
        let rest = await two.sync()
        #expect(rest.trouble != nil)
        #expect(try #require(rest.wakeAt) > clock.now())
        store.heal()
        #expect(await two.sync().isUpToDate)
        #expect(two.disk.contents.count == 1_200)
    }
}

extension ObjectKey {
    fileprivate var isOfDocumentsLog: Bool { text.hasPrefix("v1/a/") && text.contains("/log/") }
}

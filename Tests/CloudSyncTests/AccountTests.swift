import CloudStore
import SandboxRules
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent
@testable import SyncLog

@Suite("An account is what its format says")
struct AccountTests {
    let clock = ContentFixture.Clock()
    let store: MemoryStore

    init() {
        let clock = clock
        store = MemoryStore { clock.storeTime }
    }

    @Test("devices that make an account at once get the same one")
    func openedTwice() async throws {
        let first = try await Account.open(store, randomness: ContentFixture.Random(1))
        let second = try await Account.open(store, randomness: ContentFixture.Random(2))
        #expect(first.format == second.format)
        #expect(try await Account.existing(in: store)?.format == first.format)
        #expect(first.format.nameKey.bytes != first.format.chunking.seed)
    }

    @Test("a store without an account is told, and stays so")
    func none() async throws {
        #expect(try await Account.existing(in: store) == nil)
        #expect(try await store.list("", after: nil, limit: 10).value.objects.isEmpty)
    }

    @Test("the format of a later program is refused by its version, whatever else it says")
    func laterVersion() async throws {
        _ = try await store.put(Array(#"{"version": 9, "new": []}"#.utf8), at: StoreLayout.format)
        await #expect(throws: AccountError.unknownVersion(9)) {
            try await Account.open(store, randomness: ContentFixture.Random(1))
        }
    }

    @Test("a format that is cut, changed or too large is refused")
    func hostile() throws {
        let good = try AccountFormat(random: ContentFixture.Random(3)).encoded()
        #expect(try AccountFormat(decoding: good).encoded() == good)
        let random = ContentFixture.Random(4)
        for length in stride(from: 0, to: good.count - 2, by: 7) {
            #expect(throws: AccountError.self) { try AccountFormat(decoding: Array(good[..<length])) }
        }
        for _ in 0..<500 {
            var bytes = good
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            if let format = try? AccountFormat(decoding: bytes) {
                #expect(format.retention.isSound && format.chunking.isSound)
            }
        }
        #expect(throws: AccountError.self) {
            try AccountFormat(decoding: [UInt8](repeating: 32, count: 1 << 20))
        }
    }

    @Test("every key is one that a store takes, and says nothing of what it names")
    func keys() throws {
        let layout = AccountFormat(random: ContentFixture.Random(5)).layoutForTests
        let bundle = try #require(BundleIdentifier("com.example.Ledger"))
        let container = layout.container(bundle)
        #expect(container == layout.container(bundle))
        let hash = ContentHash(of: [1, 2, 3])
        let log = LogName.container(container)
        let keys = [
            StoreLayout.format, StoreLayout.readme, layout.logEntry(log, .max), layout.logEntry(.account, 1),
            layout.logEntry(.keyValues(container), 7), layout.snapshot(log, 3, hash), layout.floor(log, 3),
            layout.device(container, DeviceID(bits: .max)), layout.hint(DeviceID(bits: 0)),
            layout.collection(1), layout.object(of: hash, at: .object(9)),
            layout.object(of: hash, at: .pack(Bits128(.max), offset: 1)),
        ]
        for key in keys {
            #expect(ObjectKey(key.text) == key)
            #expect(!key.text.contains("edger") && !key.text.contains(hash.hex) || key == keys[5])
        }
        #expect(Set(keys).count == keys.count)
        #expect(StoreLayout.sequence(of: keys[2], in: layout.logPrefix(log)) == .max)
        #expect(StoreLayout.sequence(of: keys[5], in: layout.snapshotPrefix(log)) == 3)
        #expect(StoreLayout.sequence(of: keys[0], in: layout.logPrefix(log)) == nil)
    }
}

extension AccountFormat {
    var layoutForTests: StoreLayout { StoreLayout(nameKey: nameKey) }
}

import CloudSync
import TestKit
import Testing

@testable import SyncLog

/// A directory with more files than a plan takes up (SYNC.md 5).
@Suite struct HomeDiskLargeDirectoryTests {
    /// So that they lie together in the databases of all devices, whatever order the disk lists them in.
    @Test func theFirstByNameAreTakenUpFirst() throws {
        let fixture = try HomeDiskFixture()
        let names = (10..<40).map { "\($0)" }
        for name in names.shuffled() { try write("x", to: fixture.documents + "/" + name) }
        fixture.mounted.waitForLastRequest()
        let listing = try fixture.disk.list(LocalPath(), being: nil, room: 5) { _, _ in false }
        #expect(!listing.isAll)
        #expect(listing.items.compactMap(\.path.name) == Array(names.prefix(5)))
        let all = try fixture.disk.list(LocalPath(), being: nil, room: 99) { _, _ in false }
        #expect(all.isAll && Set(names).isSubset(of: all.items.compactMap(\.path.name)))
    }
}

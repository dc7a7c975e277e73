import CloudSync
import Testing

struct ItemStatusTests {
    private func status(_ device: TestDevice, _ path: LocalPath) throws -> ItemStatus {
        let item = try #require(try device.disk.look(at: path))
        return try device.storage.read { try $0.status(of: item, isExcluded: item.exclusion != nil) }
    }

    @Test func anItemIsUploadingUntilTheLogHasItAndThenCurrent() throws {
        let device = TestDevice(1, TestCloud())
        device.disk.write("1", to: "a")
        #expect(try status(device, "a") == .uploading)
        try device.up()
        #expect(try status(device, "a") == .uploading)
        try device.pull()
        #expect(try status(device, "a") == .current)
        device.disk.write("2", to: "a")
        #expect(try status(device, "a") == .uploading)
        device.disk.setFlag(true, "a")
        #expect(try status(device, "a") == .excluded)
    }

    @Test func aRemoteEditIsDownloadingUntilItsBytesAreHere() async throws {
        let cloud = TestCloud()
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        a.disk.write("1", to: "f")
        _ = try await convergeAll([a, b], rounds: 5)
        a.disk.write("2", to: "f")
        try await a.round()
        try b.pull()
        #expect(try status(b, "f") == .downloading)
        try await b.down()
        #expect(try status(b, "f") == .current)
    }

    @Test func bothSidesOfAConflictSeeIt() async throws {
        let cloud = TestCloud()
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        a.disk.write("A", to: "f")
        b.disk.write("B", to: "f")
        _ = try await convergeAll([a, b], rounds: 5)
        #expect(try status(a, "f") == .conflict)
        #expect(try status(b, "f") == .conflict)
    }

    @Test func whatHasOnlyItsMarkerHereIsNotDownloaded() async throws {
        let cloud = TestCloud()
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        a.disk.write("1", to: "f")
        _ = try await convergeAll([a, b], rounds: 5)
        try b.makeDataless("f")
        #expect(try status(b, "f") == .notDownloaded)
    }

    @Test func whatLeftTheCloudBeforeItsBytesWereHereIsInError() async throws {
        let cloud = TestCloud()
        let (a, b) = (TestDevice(1, cloud), TestDevice(2, cloud))
        a.disk.write("1", to: "f")
        _ = try await convergeAll([a, b], rounds: 5)
        try b.makeDataless("f")
        a.disk.setFlag(true, "f")
        try await a.round()
        try b.pull()
        #expect(try status(b, "f") == .error)
        #expect(try status(a, "f") == .excluded)
    }
}

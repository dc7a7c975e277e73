import CloudStore
import Foundation
import Posix
import StoreBasics
import TestKit
import Testing

@testable import CloudSync
@testable import SyncContent

/// `mount-scripts/sync-years` runs it with very many commits, and on a server too.
struct YearsTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let commits = environment["APPHOME_YEARS_COMMITS"].flatMap { Int($0) } ?? 200
    private static let stores = (environment["APPHOME_YEARS_STORES"] ?? "folder").split(separator: ",")
        .map(String.init)

    private func store(_ kind: String, _ folder: String) throws -> any ObjectStore {
        if kind == "folder" {
            try DirectoryStore.create(at: folder + "/store")
            return DirectoryStore(path: folder + "/store")
        }
        let server = try SeaweedProcess.shared.get()
        guard case .s3(let place) = try StoreURL(server.url) else { throw CocoaError(.featureUnsupported) }
        return S3Store(
            try S3Location(
                bucket: place.bucket, prefix: SeaweedProcess.newPrefix(), endpoint: place.endpoint),
            credentials: S3Credentials(accessKey: server.accessKey, secretKey: server.secretKey),
            network: try NetworkSettings(environment: [:]))
    }

    @Test(arguments: stores) func `An account of many commits keeps what it needs and no more`(
        kind: String
    ) async throws {
        let folder = try TemporaryFolder()
        let began = ContinuousClock.now
        let years = try await Years(
            try store(kind, folder.path), commits: Self.commits, storages: folder.path)
        func tell(_ text: String) {
            let seconds = (ContinuousClock.now - began).components.seconds
            print("\(kind), \(seconds) s, day \(years.day), \(years.store.requests) requests: \(text)")
        }
        try await years.live()
        tell("\(Self.commits) commits; \(try await years.bytes())")

        await years.sleeper.sync()
        for writer in years.writers { await writer.sync() }
        let expected = years.writers[0].disk.contents
        #expect(years.writers[1].disk.contents == expected)
        #expect(years.sleeper.disk.contents == expected)
        tell("the third device is back after \(Years.daysOff) days; \(expected.count) items")

        years.clock.advance(days: 31)
        for pass in 1...3 {
            let report = try await years.writers[0].engine.collect()
            tell("collection \(pass) deleted \(report.deletedObjects); \(try await years.bytes())")
            years.clock.advance(days: 8)
        }
        #expect(try await years.bytes().ratio < 1.2)

        let before = years.store.requests
        _ = try await years.writers[0].engine.collect()
        #expect(years.store.requests - before < 100)
        tell("one more collection took \(years.store.requests - before) requests")

        let newcomer = try await years.newcomer()
        await newcomer.sync()
        #expect(newcomer.disk.contents == expected)
        tell("a newcomer has all")
    }
}

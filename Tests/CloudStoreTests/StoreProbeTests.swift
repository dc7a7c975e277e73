import CLinux
import Foundation
import Posix
import SystemPackage
import TestKit
import Testing

@testable import CloudStore

@Suite struct StoreProbeTests {
    /// Keeps the rule for one writer after another, as Apache's mod_dav does.
    private struct LookThenWrite: ObjectStore {
        let store = MemoryStore { .machine }
        var traits: StoreTraits { store.traits }

        func putIfAbsent(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<PutOutcome> {
            let found = try await store.head(key)
            if found.value != nil { return Dated(.occupied, at: found.date) }
            try? await Task.sleep(for: .milliseconds(5))
            return Dated(.written, at: try await store.put(bytes, at: key).date)
        }

        func put(_ bytes: [UInt8], at key: ObjectKey) async throws(StoreError) -> Dated<Void> {
            try await store.put(bytes, at: key)
        }
        func get(_ key: ObjectKey, range: Range<UInt64>?) async throws(StoreError) -> Dated<StoredObject?> {
            try await store.get(key, range: range)
        }
        func head(_ key: ObjectKey) async throws(StoreError) -> Dated<ObjectInfo?> {
            try await store.head(key)
        }
        func list(_ prefix: String, after: ObjectKey?, limit: Int) async throws(StoreError) -> Dated<
            ObjectListing
        > {
            try await store.list(prefix, after: after, limit: limit)
        }
        func delete(_ key: ObjectKey) async throws(StoreError) -> Dated<Void> { try await store.delete(key) }
    }

    @Test func `A store that looks and then writes is refused in one line, and left clean`() async throws {
        let store = LookThenWrite()
        #expect(try await store.putIfAbsent([1], at: try key("a")).value == .written)
        #expect(try await store.putIfAbsent([2], at: try key("a")).value == .occupied)
        let error = try #require(await storeError { try await StoreProbe(store).run() })
        guard case .unsupported(let reason) = error else { throw error }
        #expect(reason.contains("may not be shared") && !reason.contains("\n"))
        #expect(try await store.list("", after: nil, limit: 9).value.objects.map(\.key.text) == ["a"])
    }

    @Test func `A server that does not know conditional writes is refused`() async throws {
        let server = try FakeServer { request in
            request.head.hasPrefix("PUT")
                ? .reply(FakeServer.error("501 Not Implemented", "NotImplemented"))
                : .reply(FakeServer.error("404 Not Found", "NoSuchKey"))
        }
        let location = try S3Location(
            bucket: "bucket", endpoint: try S3Endpoint("http://127.0.0.1:\(server.port)"))
        let store = S3Store(
            location, credentials: S3Credentials(accessKey: "A", secretKey: "S"), network: NetworkSettings())
        #expect(await storeError { try await StoreProbe(store).run() }?.kind == "unsupported")
    }

    /// nanio takes `If-None-Match: *` and overwrites, without a word.
    @Test(.timeLimit(.minutes(2))) func `A real server that ignores the header is refused`() async throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/data/bucket", withIntermediateDirectories: true)
        let programs = try #require(try SeaweedProcess.script(["install"]).last)
        let port = try { try FakeServer { _ in .close }.port }()
        // It ends with the pipe, so with this process.
        let run =
            "\(programs)/nanio serve --host 127.0.0.1 --port \(port) --data-dir '\(folder.path)/data' & "
            + "read -r; kill $!; wait"
        var ends: (Int32, Int32) = (-1, -1)
        _ = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { lx_pipe($0) }
        }
        let log = try Descriptor(folder.path + "/log", flags: lx_o_creat | lx_o_wronly, mode: 0o600)
        let variables = ["PATH=/usr/bin:/bin", "NANIO_ACCESS_KEY=key", "NANIO_SECRET_KEY=secret"]
        let child = try Child(
            "/bin/bash", arguments: ["-c", run], environment: variables,
            descriptors: [ends.0, log.raw, log.raw])
        _ = lx_close(ends.0)
        let location = try S3Location(bucket: "bucket", endpoint: try S3Endpoint("http://127.0.0.1:\(port)"))
        let store = S3Store(
            location, credentials: S3Credentials(accessKey: "key", secretKey: "secret"),
            network: NetworkSettings())
        do {
            try await waitUntil(seconds: 30) {
                await storeError { try await store.list("", after: nil, limit: 1) }?.kind != "unreachable"
            }
            #expect(try await store.putIfAbsent([1], at: try key("a")).value == .written)
            #expect(await storeError { try await StoreProbe(store).run() }?.kind == "unsupported")
        } catch {
            Issue.record(
                "\(error): \((try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "")")
        }
        _ = lx_close(ends.1)
        _ = try child.wait()
    }
}

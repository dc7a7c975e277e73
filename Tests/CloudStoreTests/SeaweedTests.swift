import Foundation
import Glibc
import Posix
import StoreBasics
import TestKit
import Testing

@testable import CloudStore

/// What only a real server can show.
@Suite struct SeaweedTests {
    @Test func `Wrong credentials are unauthorized, those that may only read are forbidden to write`()
        async throws
    {
        let server = try SeaweedServer.shared.get()
        let wrong = [
            S3Credentials(accessKey: server.credentials.accessKey, secretKey: "wrong"),
            S3Credentials(accessKey: "nobody", secretKey: "wrong"),
        ]
        for credentials in wrong {
            let store = try server.store(credentials: credentials)
            #expect(await storeError { try await store.get(try key("a")) }?.kind == "unauthorized")
            #expect(
                await storeError { try await store.putIfAbsent([1], at: try key("a")) }?.kind
                    == "unauthorized")
            #expect(
                await storeError { try await store.list("", after: nil, limit: 1) }?.kind == "unauthorized")
        }
        let reader = try server.store(
            credentials: S3Credentials(accessKey: "reader", secretKey: "reader-secret"), prefix: "reader")
        #expect(await storeError { try await reader.put([1], at: try key("a")) }?.kind == "forbidden")
        #expect(await storeError { try await reader.putIfAbsent([1], at: try key("a")) }?.kind == "forbidden")
        #expect(try await reader.get(try key("a")).value == nil)
    }

    @Test func `A bucket that is not there is missing`() async throws {
        let store = try SeaweedServer.shared.get().store(bucket: "nosuchbucket")
        #expect(await storeError { try await store.get(try key("a")) }?.kind == "missing")
        #expect(await storeError { try await store.put([1], at: try key("a")) }?.kind == "missing")
        #expect(await storeError { try await store.putIfAbsent([1], at: try key("a")) }?.kind == "missing")
        #expect(await storeError { try await store.list("", after: nil, limit: 1) }?.kind == "missing")
        #expect(await storeError { try await StoreProbe(store).run() }?.kind == "missing")
    }

    @Test func `A body that was damaged on the way is not stored`() async throws {
        let store = try SeaweedServer.shared.get().store(prefix: SeaweedProcess.newPrefix())
        var call = S3Call("PUT", key: try key("damaged"))
        call.body = [1, 2, 3]
        call.bodyHash = Digests.sha256([1, 2, 4])
        call.headers = [("x-amz-checksum-sha256", Data(Digests.sha256([1, 2, 4])).base64EncodedString())]
        let reply = try await store.answer(to: call)
        #expect(reply.status == 400)
        #expect(try await store.get(try key("damaged")).value == nil)
    }

    @Test(.timeLimit(.minutes(2)))
    func `What was acknowledged is there after the server was killed`() async throws {
        let folder = SeaweedProcess.temporaryPath()
        let server = try SeaweedServer(folder: folder)
        defer { try? server.stop() }
        let acknowledged = Lock<[ObjectKey: [UInt8]]>([:])
        await withTaskGroup { group in
            for writer in 0..<8 {
                group.addTask {
                    guard let store = try? server.store() else { return }
                    for number in 0... {
                        guard let key = ObjectKey("log/w\(writer)-\(number)") else { return }
                        let body = Array("\(key)".utf8) + [UInt8](repeating: UInt8(writer), count: 2000)
                        guard (try? await store.putIfAbsent(body, at: key))?.value == .written else { return }
                        acknowledged.withLock { $0[key] = body }
                    }
                }
            }
            group.addTask {
                try? await waitUntil { acknowledged.withLock { $0.count } >= 200 }
                kill(server.processID, SIGKILL)
            }
        }
        let again = try SeaweedServer(folder: folder)
        #expect(again.location == server.location)
        let store = try again.store()
        let written = acknowledged.withLock { $0 }
        #expect(written.count >= 200)
        for (key, bytes) in written {
            // It answers 500 until its parts have found each other.
            try await waitUntil(seconds: 30) { await storeError { try await store.get(key) } == nil }
            #expect(try await store.get(key).value?.bytes == bytes, "\(key)")
        }
    }
}

import TestKit
import Testing

@testable import CloudStore

/// The stores that keep one contract, and are held to it by one suite.
enum Backend: CaseIterable, CustomTestStringConvertible {
    case memory, directory, s3

    var testDescription: String { "\(self)" }

    /// Runs `body` with two views of one fresh store, as two devices have: each has its own connections.
    func withStore(_ body: (any ObjectStore, any ObjectStore) async throws -> Void) async throws {
        switch self {
        case .memory:
            let store = MemoryStore { .machine }
            try await body(store, store)
        case .directory:
            let folder = try ScratchFolder()
            let path = folder.path + "/deep/store"
            try DirectoryStore.create(at: path)
            try await body(DirectoryStore(path: path), DirectoryStore(path: path))
        case .s3:
            let server = try SeaweedServer.shared.get()
            let prefix = SeaweedProcess.newPrefix()
            try await body(try server.store(prefix: prefix), try server.store(prefix: prefix))
        }
    }
}

func key(_ text: String) throws -> ObjectKey { try #require(ObjectKey(text)) }

/// What a call throws; nil where it succeeds.
func storeError(_ call: () async throws -> some Any) async -> StoreError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? StoreError
    }
}

extension StoreError {
    /// The case alone: texts are for people.
    var kind: String { String("\(self)".prefix { $0 != "(" }) }
}

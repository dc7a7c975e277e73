internal import Posix

/// Finds out whether several devices may share a store: whether of many that write one key at once exactly
/// one wins. It must race: there are servers that keep the rule for one client after another and break it for
/// two at a time, and servers that do not know the rule and say nothing.
public struct StoreProbe: Sendable {
    private static let writers = 8
    private static let rounds = 6
    private let store: any ObjectStore
    private let folder: String

    /// - Parameter folder: where the keys of the probe go. They are removed again.
    public init(_ store: any ObjectStore, folder: String = "probe") {
        self.store = store
        self.folder = folder
    }

    /// Returns where the store kept its contract.
    /// - Throws: `.unsupported` with the reason, in one line, where it may not be shared; as a store's calls.
    public func run() async throws(StoreError) {
        let name = Hex.text((0..<8).map { _ in UInt8.random(in: .min ... .max) })
        let keys = (0..<Self.rounds).compactMap { ObjectKey("\(folder)/\(name)/\($0)") }
        let results = await withTaskGroup(of: Result<Void, StoreError>.self) { group in
            for key in keys {
                group.addTask { await result { () throws(StoreError) in try await race(for: key) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let cleaning = await clean(keys)
        // What was found out counts before what merely failed.
        let failures = (results + [cleaning]).compactMap { result -> StoreError? in
            if case .failure(let error) = result { error } else { nil }
        }
        let verdict = failures.first { if case .unsupported = $0 { true } else { false } }
        if let failure = verdict ?? failures.first { throw failure }
    }

    private func race(for key: ObjectKey) async throws(StoreError) {
        let bodies = (0..<Self.writers).map { Array("\(key) by writer \($0)".utf8) }
        let answers = await withTaskGroup(of: (Int, Result<PutOutcome, StoreError>).self) { group in
            for (writer, body) in bodies.enumerated() {
                group.addTask {
                    (
                        writer,
                        await result { () throws(StoreError) in
                            try await store.putIfAbsent(body, at: key).value
                        }
                    )
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let winners = answers.filter { $0.value == .success(.written) }.keys
        if winners.count > 1 {
            throw .unsupported(
                "\(winners.count) of \(Self.writers) writers of one key were all told that they wrote it: "
                    + "the store ignores If-None-Match, and may not be shared")
        }
        guard let content = try await store.get(key).value else {
            // Without one answer there is no verdict.
            if winners.isEmpty { throw Self.firstError(answers.values) }
            throw .unsupported("an object that was acknowledged is not there: the store may not be shared")
        }
        if let winner = winners.first, content.bytes != bodies[winner] {
            throw .unsupported("a conditional write replaced another's object: the store may not be shared")
        }
        guard bodies.contains(content.bytes) else {
            throw .unsupported("the store holds other bytes than were written to it")
        }
        try await checkLateWriter(key, content.bytes)
    }

    private func checkLateWriter(_ key: ObjectKey, _ bytes: [UInt8]) async throws(StoreError) {
        let outcome = try await store.putIfAbsent(Array("\(key) by a late writer".utf8), at: key).value
        let after = try await store.get(key).value?.bytes
        guard outcome == .occupied, after == bytes else {
            throw .unsupported("a conditional write replaced an object: the store may not be shared")
        }
        guard try await store.list(key.text, after: nil, limit: 2).value.objects.map(\.key) == [key] else {
            throw .unsupported("the store does not list an object that it holds: it may not be shared")
        }
    }

    private static func firstError(_ answers: some Collection<Result<PutOutcome, StoreError>>) -> StoreError {
        let errors = answers.compactMap { answer -> StoreError? in
            if case .failure(let error) = answer { error } else { nil }
        }
        let decisive = errors.first { error in
            switch error {
            case .unknownOutcome, .undecided: false
            default: true
            }
        }
        return decisive ?? errors.first ?? .invalidAnswer("every writer was told that another wrote")
    }

    private func clean(_ keys: [ObjectKey]) async -> Result<Void, StoreError> {
        await result { () throws(StoreError) in
            for key in keys { _ = try await store.delete(key) }
        }
    }
}

/// What a call came to, as a value.
private func result<Value: Sendable>(
    _ call: () async throws(StoreError) -> Value
) async -> Result<Value, StoreError> {
    do throws(StoreError) {
        return .success(try await call())
    } catch {
        return .failure(error)
    }
}

import CloudStore
import StoreBasics
import Testing

/// The contract of `ObjectStore`, sentence by sentence, on every store.
@Suite struct ConformanceTests {
    @Test(arguments: Backend.allCases)
    func `What is put is got, whole and in parts, with its size and time`(backend: Backend) async throws {
        try await backend.withStore { writer, reader in
            let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) }
            let name = try key("a/one/log/00000000000000000001")
            let put = try await writer.put(bytes, at: name)
            let got = try await reader.get(name)
            #expect(got.value?.bytes == bytes)
            #expect(abs(got.date.seconds(since: put.date)) < 60)
            let head = try #require(try await reader.head(name).value)
            #expect(head.sizeBytes == 300_000 && head.key == name)
            #expect(head.lastModified == got.value?.lastModified)
            #expect(abs(head.lastModified.seconds(since: put.date)) < 60)
            for range in [0..<1, 0..<300_000, 299_999..<300_000, 1000..<2000] as [Range<UInt64>] {
                let part = try await reader.get(name, range: range).value?.bytes
                #expect(part == Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `An object may be empty, or as large as objects may be`(backend: Backend) async throws {
        try await backend.withStore { writer, reader in
            for count in [0, 1, StoreLimits.objectBytes] {
                let bytes = [UInt8](repeating: 7, count: count)
                let outcome = try await writer.putIfAbsent(bytes, at: try key("size/s\(count)")).value
                #expect(outcome == .written)
                #expect(try await reader.get(try key("size/s\(count)")).value?.bytes == bytes)
                #expect(try await reader.head(try key("size/s\(count)")).value?.sizeBytes == UInt64(count))
            }
            let tooMany = [UInt8](repeating: 0, count: StoreLimits.objectBytes + 1)
            #expect(await storeError { try await writer.put(tooMany, at: try key("b")) }?.kind == "forbidden")
            #expect(try await reader.get(try key("b")).value == nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func `What is not there is nil, and removing it succeeds`(backend: Backend) async throws {
        try await backend.withStore { store, _ in
            let name = try key("c/ab/nothing")
            #expect(try await store.get(name).value == nil)
            #expect(try await store.get(name, range: 0..<1).value == nil)
            #expect(try await store.head(name).value == nil)
            _ = try await store.delete(name)
            _ = try await store.put([1], at: name)
            _ = try await store.delete(name)
            _ = try await store.delete(name)
            #expect(try await store.get(name).value == nil)
            #expect(try await store.list("", after: nil, limit: 10).value.objects == [])
            #expect(try await store.putIfAbsent([2], at: name).value == .written)
        }
    }

    @Test(arguments: Backend.allCases)
    func `A range that is empty or reaches past the end is an invalid answer`(backend: Backend) async throws {
        try await backend.withStore { store, _ in
            let name = try key("short")
            _ = try await store.put([1, 2, 3], at: name)
            for range in [0..<0, 3..<3, 2..<4, 3..<4, 9..<12] as [Range<UInt64>] {
                let error = await storeError { try await store.get(name, range: range) }
                #expect(error?.kind == "invalidAnswer", "\(range)")
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `A put replaces, a put-if-absent never does`(backend: Backend) async throws {
        try await backend.withStore { first, second in
            let name = try key("hint/device")
            #expect(try await first.putIfAbsent([1], at: name).value == .written)
            #expect(try await second.putIfAbsent([2], at: name).value == .occupied)
            #expect(try await first.putIfAbsent([1], at: name).value == .occupied)
            #expect(try await second.get(name).value?.bytes == [1])
            _ = try await second.put([3], at: name)
            #expect(try await first.get(name).value?.bytes == [3])
            #expect(try await first.putIfAbsent([4], at: name).value == .occupied)
            #expect(try await first.get(name).value?.bytes == [3])
        }
    }

    /// Each writer has the other's view in turn, and writers of all rounds run at once.
    @Test(arguments: Backend.allCases)
    func `Of eight writers that race for a key exactly one wins`(backend: Backend) async throws {
        try await backend.withStore { first, second in
            let rounds = 12
            let winners = try await withThrowingTaskGroup(of: (Int, UInt8, PutOutcome).self) { group in
                for round in 0..<rounds {
                    for writer in UInt8(0)..<8 {
                        group.addTask {
                            let store = writer.isMultiple(of: 2) ? first : second
                            let body = [UInt8](repeating: writer, count: 1000)
                            let outcome = try await store.putIfAbsent(body, at: try key("race/r\(round)"))
                            return (round, writer, outcome.value)
                        }
                    }
                }
                var winners: [Int: [UInt8]] = [:]
                for try await (round, writer, outcome) in group where outcome == .written {
                    winners[round, default: []].append(writer)
                }
                return winners
            }
            for round in 0..<rounds {
                let winner = winners[round] ?? []
                #expect(winner.count == 1, "round \(round)")
                let bytes = try await first.get(try key("race/r\(round)")).value?.bytes
                #expect(bytes == winner.first.map { [UInt8](repeating: $0, count: 1000) })
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `A listing is in the order of bytes, below its prefix and after its key`(
        backend: Backend
    ) async throws {
        try await backend.withStore { writer, reader in
            let names = [
                "a/0/x", "a/1/log/00000000000000000009", "a/1/log/00000000000000000010", "a/1/snap/1.ab",
                "a/2/x", "b", "c/00/f.1", "c/00/f.2", "c/01/e", "c/ff/0",
            ]
            for name in names.shuffled() { _ = try await writer.put([1, 2], at: try key(name)) }
            func list(_ prefix: String, after: String? = nil, limit: Int = 100) async throws -> [String] {
                let after = try after.map { try key($0) }
                return try await reader.list(prefix, after: after, limit: limit).value.objects.map(\.key.text)
            }
            #expect(try await list("") == names)
            #expect(try await list("a/1/") == Array(names[1...3]))
            #expect(try await list("a/1/log/") == Array(names[1...2]))
            #expect(try await list("a/1/log/", after: names[1]) == [names[2]])
            #expect(try await list("a/1/log/", after: "a/1/log/00000000000000000009.5") == [names[2]])
            #expect(try await list("a/1/log/", after: names[2]) == [])
            #expect(try await list("c/0") == Array(names[6...8]))
            #expect(try await list("c/", after: "a/zzz", limit: 2) == Array(names[6...7]))
            #expect(try await list("", after: "b", limit: 1) == ["c/00/f.1"])
            #expect(try await list("none/") == [])
            #expect(try await list("../") == [])
            let object = try #require(try await reader.list("b", after: nil, limit: 1).value.objects.first)
            #expect(object == (try await reader.head(try key("b")).value))
        }
    }

    @Test(arguments: Backend.allCases)
    func `A long listing comes in pages that leave nothing out`(backend: Backend) async throws {
        try await backend.withStore { writer, reader in
            let names = try (0..<1034).map { try key("a/x/log/" + String(100_000 + $0)) }
            try await withThrowingTaskGroup { group in
                for part in 0..<16 {
                    group.addTask {
                        for index in stride(from: part, to: names.count, by: 16) {
                            _ = try await writer.put([0], at: names[index])
                        }
                    }
                }
                try await group.waitForAll()
            }
            for limit in [100, 5000] {
                var found: [ObjectKey] = []
                while true {
                    let page = try await reader.list("a/x/", after: found.last, limit: limit).value
                    #expect(page.objects.count <= min(limit, StoreLimits.listedKeys))
                    found += page.objects.map(\.key)
                    if !page.isTruncated { break }
                }
                #expect(found == names)
            }
            let last = try await reader.list("a/x/", after: names[1000], limit: 33).value
            #expect(last.objects.count == 33 && !last.isTruncated)
        }
    }

    @Test(arguments: Backend.allCases)
    func `A store that keeps the contract passes the probe and is left empty`(backend: Backend) async throws {
        try await backend.withStore { store, _ in
            try await StoreProbe(store).run()
            #expect(try await store.list("", after: nil, limit: 10).value.objects == [])
        }
    }

    @Test(arguments: Backend.allCases)
    func `What was cancelled before it began is not written`(backend: Backend) async throws {
        guard backend != .memory else { return }
        try await backend.withStore { store, _ in
            let name = try key("cancelled")
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await storeError { try await store.putIfAbsent([1], at: name) }
            }
            task.cancel()
            #expect(await task.value == .cancelled)
            #expect(try await store.get(name).value == nil)
        }
    }
}

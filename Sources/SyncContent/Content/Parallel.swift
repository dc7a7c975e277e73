/// How much is under way at once: requests, and the bytes that they hold.
package struct Parallelism: Sendable {
    /// Within the 64 MiB that sync may hold, with room for the copies that a connection makes.
    package static let budgetBytes = 32 << 20

    var requests: Int
    var bytes: Int

    package init(requests: Int, bytes: Int = budgetBytes) {
        self.requests = requests
        self.bytes = bytes
    }

    /// Does `work` for each item and answers the results in the items' order. Begins them in that order; one
    /// that is larger than the budget runs alone. After the first error nothing more is begun.
    package func map<Item: Sendable, Output: Sendable, Failure: Error>(
        _ items: [Item], bytes weight: (Item) -> Int = { _ in 0 },
        _ work: @escaping @Sendable (Item) async throws(Failure) -> Output
    ) async throws(Failure) -> [Output] {
        // One after the other without tasks: what a simulation sees then follows from its seed alone.
        guard requests > 1, items.count > 1 else {
            var outputs: [Output] = []
            for item in items { outputs.append(try await work(item)) }
            return outputs
        }
        let weights = items.map(weight)
        let results = await withTaskGroup(of: (Int, Result<Output, Failure>).self) { group in
            var results: [Int: Result<Output, Failure>] = [:]
            var (running, held, failed) = (0, 0, false)
            var next = 0
            while running > 0 || (next < items.count && !failed) {
                let mayBegin = next < items.count && !failed && running < requests
                if mayBegin, running == 0 || held + weights[next] <= bytes {
                    let (index, item) = (next, items[next])
                    group.addTask {
                        (
                            index,
                            await Self.result { () async throws(Failure) in
                                try await work(item)
                            }
                        )
                    }
                    (running, held, next) = (running + 1, held + weights[index], next + 1)
                    continue
                }
                guard let (index, result) = await group.next() else { break }
                (running, held) = (running - 1, held - weights[index])
                if case .failure = result { failed = true }
                results[index] = result
            }
            return results
        }
        return try Self.outputs(results, count: items.count)
    }

    private static func outputs<Output, Failure: Error>(
        _ results: [Int: Result<Output, Failure>], count: Int
    ) throws(Failure) -> [Output] {
        var outputs: [Output] = []
        // The first failure in the items' order; what comes after it may not have been begun.
        for index in 0..<count {
            guard let result = results[index] else { continue }
            outputs.append(try result.get())
        }
        return outputs
    }

    private static func result<Output, Failure: Error>(
        _ work: () async throws(Failure) -> Output
    ) async -> Result<Output, Failure> {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}

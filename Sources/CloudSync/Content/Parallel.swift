/// How much is under way at once: requests, and the bytes that they hold.
struct Parallelism: Sendable {
    /// Within the 64 MiB that sync may hold, with room for the copies that a connection makes.
    static let budgetBytes = 32 << 20

    var requests: Int
    var bytes = budgetBytes

    /// Does `work` for each item and answers the results in the items' order. Begins them in that order; one
    /// that is larger than the budget runs alone. After the first error nothing more is begun.
    func map<Item: Sendable, Output: Sendable>(
        _ items: [Item], bytes weight: (Item) -> Int = { _ in 0 },
        _ work: @escaping @Sendable (Item) async throws(ContentError) -> Output
    ) async throws(ContentError) -> [Output] {
        // One after the other without tasks: what a simulation sees then follows from its seed alone.
        guard requests > 1, items.count > 1 else {
            var outputs: [Output] = []
            for item in items { outputs.append(try await work(item)) }
            return outputs
        }
        let weights = items.map(weight)
        let results = await withTaskGroup(of: (Int, Result<Output, ContentError>).self) { group in
            var results: [Int: Result<Output, ContentError>] = [:]
            var (running, held, failed) = (0, 0, false)
            var next = 0
            while running > 0 || (next < items.count && !failed) {
                let mayBegin = next < items.count && !failed && running < requests
                if mayBegin, running == 0 || held + weights[next] <= bytes {
                    let (index, item) = (next, items[next])
                    group.addTask {
                        (
                            index,
                            await Self.result { () async throws(ContentError) in
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

    private static func outputs<Output>(
        _ results: [Int: Result<Output, ContentError>], count: Int
    ) throws(ContentError) -> [Output] {
        var outputs: [Output] = []
        // The first failure in the items' order; what comes after it may not have been begun.
        for index in 0..<count {
            guard let result = results[index] else { continue }
            outputs.append(try result.get())
        }
        return outputs
    }

    private static func result<Output>(
        _ work: () async throws(ContentError) -> Output
    ) async -> Result<Output, ContentError> {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}

internal import StoreBasics

extension S3Store {
    /// Pages with nothing but names that are no keys are passed over, this many.
    private static let emptyPages = 100
    /// An entry of a page is about 300 bytes and a key of at most 1,024.
    private static let pageBytes = 4 << 20

    public func list(
        _ prefix: String, after: ObjectKey?, limit: Int
    ) async throws(StoreError) -> Dated<ObjectListing> {
        let limit = StoreLimits.listed(limit)
        var start = after.map { path(of: $0) }
        var first: StoreTime?
        for _ in 0..<Self.emptyPages {
            let answer = try await page(prefix, after: start, limit: limit)
            // The listing is as old as its first page.
            let date = first ?? answer.date
            first = date
            let page = answer.value
            let objects = try objects(of: page, prefix, after: start)
            if !objects.isEmpty || !page.isTruncated {
                return Dated(ObjectListing(objects: objects, isTruncated: page.isTruncated), at: date)
            }
            guard let last = page.entries.last?.key else { break }
            start = last
        }
        throw .invalidAnswer("a listing of \(prefix) that does not come to an end")
    }

    private func page(
        _ prefix: String, after: String?, limit: Int
    ) async throws(StoreError) -> Dated<S3Page> {
        var call = S3Call("GET", key: nil)
        call.query = [
            ("list-type", "2"), ("max-keys", String(limit)), ("prefix", accountPrefix + prefix),
        ]
        if let after { call.query.append(("start-after", after)) }
        call.replyBytes = Self.pageBytes
        let reply = try await answer(to: call)
        guard reply.status == 200 else { throw reply.error(isWrite: false) }
        guard let page = try? S3Page(reply.body) else {
            throw .invalidAnswer("a listing of \(prefix) that is none")
        }
        return try dated(page, reply)
    }

    /// - Throws: `.invalidAnswer` where they are not in order, or not what was asked for: whoever lists on
    ///   after the last key would miss some.
    private func objects(
        of page: S3Page, _ prefix: String, after: String?
    ) throws(StoreError) -> [ObjectInfo] {
        var previous = after ?? ""
        var objects: [ObjectInfo] = []
        let wanted = accountPrefix + prefix
        for entry in page.entries {
            guard previous.utf8.lexicographicallyPrecedes(entry.key.utf8), entry.key.hasPrefix(wanted) else {
                throw .invalidAnswer("a listing of \(prefix) that is not in order")
            }
            previous = entry.key
            guard let key = ObjectKey(String(entry.key.dropFirst(accountPrefix.count))) else { continue }
            objects.append(
                ObjectInfo(key: key, sizeBytes: entry.sizeBytes, lastModified: entry.lastModified))
        }
        return objects
    }
}

package import CloudStore
internal import Posix

/// Copies an account, object by object, to a store that has none (`cloud account copy`).
///
/// First all that refers to chunks, then the chunks: so every chunk that a copied entry names was there when
/// the chunks were listed. The format comes last: until then the copy is no account, and the copying may be
/// begun again.
package struct AccountCopy: Sendable {
    let source: any ObjectStore
    let target: any ObjectStore
    let limit: RateLimit?

    package init(from source: any ObjectStore, to target: any ObjectStore, limit: RateLimit? = nil) {
        self.source = source
        self.target = target
        self.limit = limit
    }

    package struct Report: Equatable, Sendable {
        package var objects = 0
        package var bytes: UInt64 = 0
        /// What there is to copy, as it was when that began.
        package var totalObjects = 0
        package var totalBytes: UInt64 = 0

        fileprivate mutating func count(_ all: [ObjectInfo]) {
            totalObjects = all.count
            totalBytes = all.reduce(0) { $0.addingSaturated($1.sizeBytes) }
        }
    }

    /// - Parameter progress: told after each object.
    /// - Throws: `.notEmpty` where the target has what the source has not, or an account; `.differs` where
    ///   what was read back is not what was written.
    package func run(
        _ progress: @Sendable (Report) -> Void = { _ in }
    ) async throws(CollectionError) -> Report {
        try await checkTarget()
        var report = Report()
        let chunkPrefixes = [StoreLayout.chunkPrefix, StoreLayout.packPrefix]
        let all = try await list(source, "")
        let roots = all.filter { info in
            info.key != StoreLayout.format && !chunkPrefixes.contains(where: info.key.text.hasPrefix)
        }
        report.count(all)
        for info in roots { try await copy(info.key, &report, progress) }
        for prefix in chunkPrefixes {
            for info in try await list(source, prefix) { try await copy(info.key, &report, progress) }
        }
        try await copy(StoreLayout.format, &report, progress)
        return report
    }

    private func checkTarget() async throws(CollectionError) {
        let there = try await list(target, "")
        guard !there.isEmpty else { return }
        let known = Set(try await list(source, "").map(\.key))
        // What an earlier copy that was cut short has left is the source's.
        if let foreign = there.first(where: { !known.contains($0.key) || $0.key == StoreLayout.format }) {
            throw .notEmpty(foreign.key)
        }
    }

    private func list(_ store: any ObjectStore, _ prefix: String) async throws(CollectionError)
        -> [ObjectInfo]
    {
        try await CollectionError.asking(await store.listAll(prefix)).value
    }

    /// What was deleted since it was listed is left out: nothing that was copied needs it any more.
    private func copy(
        _ key: ObjectKey, _ report: inout Report, _ progress: (Report) -> Void
    ) async throws(CollectionError) {
        let found = try await CollectionError.asking(await source.get(key).value)
        guard let object = found else { return }
        try await CollectionError.content(await limit?.take(object.bytes.count))
        // Replaced rather than kept: an earlier copy may have been cut short, and some keys are written
        // often.
        _ = try await CollectionError.asking(await target.put(object.bytes, at: key))
        let written = try await CollectionError.asking(await target.get(key).value)
        guard written?.bytes == object.bytes else { throw .differs(key) }
        report.objects += 1
        report.bytes += UInt64(object.bytes.count)
        progress(report)
    }
}

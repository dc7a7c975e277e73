internal import SyncContent
internal import SyncLog

/// Bytes come first, aside, several files at a time; nothing of it is in the database yet.
extension Applier {
    /// - Returns: the staged files, by item; what did not come is among the failures.
    nonisolated(nonsending) func download(
        _ actions: [DownAction], _ applied: inout Applied
    ) async -> [FileID: any StagedFile] {
        let wanted = actions.compactMap { action in
            action.wanted.map { (file: action.file, content: $0) }
        }
        let small = wanted.filter { $0.content.sizeBytes <= Self.smallFileBytes }
        let fetched = await source.fetch(small.map(\.content))
        let bytes = Dictionary(zip(small.map(\.file), fetched)) { first, _ in first }
        var staged: [FileID: any StagedFile] = [:]
        var rest = wanted[...]
        while !rest.isEmpty {
            let window = rest.prefix(Self.parallelDownloads)
            rest = rest.dropFirst(window.count)
            let jobs = window.map { wanted in
                Job(
                    file: wanted.file, content: wanted.content, bytes: bytes[wanted.file] ?? nil,
                    name: newStagingName())
            }
            for (file, result) in await run(jobs) {
                switch result {
                case .success(let stagedFile): staged[file] = stagedFile
                case .failure(let error): applied.failures.append(DownloadFailure(file: file, error: error))
                }
            }
        }
        applied.failures.sort { $0.file < $1.file }
        return staged
    }

    private struct Job: Sendable {
        var file: FileID
        var content: FileContent
        /// All of it, where that came with others already.
        var bytes: [UInt8]?
        var name: String
    }

    private typealias Downloaded = (FileID, Result<any StagedFile, DownloadError>)

    private nonisolated(nonsending) func run(_ jobs: [Job]) async -> [Downloaded] {
        let disk = disk
        let source = source
        return await withTaskGroup(of: Downloaded.self) { group in
            for job in jobs {
                group.addTask { (job.file, await Self.stage(job, disk, source)) }
            }
            var results: [Downloaded] = []
            for await result in group { results.append(result) }
            return results
        }
    }

    private static func stage(
        _ job: Job, _ disk: any LocalDisk, _ source: any DownloadSource
    ) async -> Result<any StagedFile, DownloadError> {
        do throws(DownloadError) {
            let staged: any StagedFile
            do { staged = try disk.stage(as: job.name) } catch { throw .local(error) }
            if let bytes = job.bytes {
                do { try staged.append(bytes) } catch { throw .local(error) }
                return .success(staged)
            }
            try await source.download(job.content) { bytes throws(LocalError) in try staged.append(bytes) }
            return .success(staged)
        } catch {
            return .failure(error)
        }
    }

    func newStagingName() -> String { StagingName.new(randomness) }
}

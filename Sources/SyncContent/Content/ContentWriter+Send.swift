internal import CloudStore
internal import SyncLog

extension ContentWriter {
    private static let tries: UInt64 = 6
    /// A store that says nothing is not asked again after so long, though tries are left.
    private static let patienceNanoseconds: UInt64 = 30_000_000_000
    private static let pauseNanoseconds: UInt64 = 100_000_000

    /// - Returns: when it was written, or seen; nil where the object is there and so old that it does not
    ///   count.
    func send(
        _ upload: PlannedObject, from source: any UploadSource
    ) async throws(ContentError) -> StoreMoment? {
        let bytes = try await gather(upload, from: source)
        try await limit?.take(bytes.count)
        try await source.confirm(Set(upload.parts.map(\.file)))
        let check = try await put(bytes, upload)
        meter?.add(bytes.count)
        return check
    }

    /// The object's bytes, each part with the hash that was planned.
    private func gather(
        _ upload: PlannedObject, from source: any UploadSource
    ) async throws(ContentError) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in upload.parts {
            let read = try await source.read(part.file, part.range)
            guard read.count == Int(part.sizeBytes), ContentHash(of: read) == part.hash else {
                throw .changed
            }
            if upload.parts.count == 1 { return read }
            bytes += read
        }
        return bytes
    }

    /// The random part of the name is ours alone, so whoever wrote there before was this device, or a clone
    /// of it with the same journal: the same bytes. So a PUT of unknown outcome is simply tried again.
    private func put(_ bytes: [UInt8], _ upload: PlannedObject) async throws(ContentError) -> StoreMoment? {
        let key = account.layout.object(upload.name)
        var attempt: UInt64 = 1
        let end = clock.now() &+ Self.patienceNanoseconds
        while true {
            let clock = clock.now()
            switch await outcome(of: bytes, at: key) {
            case .success(let put):
                if put.value == .written { return StoreMoment(date: put.date, clock: clock) }
                // Gone between two questions: only a collector does that, to what is old.
                return try await existing(upload)
            case .failure(let error):
                guard error.isPassing, attempt < Self.tries, clock < end else { throw .store(error) }
                try await pause(after: attempt)
                attempt += 1
            }
        }
    }

    private func outcome(
        of bytes: [UInt8], at key: ObjectKey
    ) async -> Result<Dated<PutOutcome>, StoreError> {
        do { return .success(try await account.store.putIfAbsent(bytes, at: key)) } catch {
            return .failure(error)
        }
    }

    /// What lies under an object's key, which is one of our own.
    /// - Returns: nil where nothing does, or what is so old that it does not count.
    /// - Throws: `.occupied` where it cannot be ours.
    private func existing(_ upload: PlannedObject) async throws(ContentError) -> StoreMoment? {
        let head = try await look(at: upload.name)
        guard let info = head.info else { return nil }
        guard info.sizeBytes == UInt64(upload.sizeBytes) else { throw .occupied(info.key) }
        let date = head.moment.date
        guard retention.isPresent(info, at: date, of: account.store.traits, known: nil, rules) else {
            return nil
        }
        return head.moment
    }

    private func pause(after attempt: UInt64) async throws(ContentError) {
        let longest = Self.pauseNanoseconds << attempt
        let moment = clock.now() &+ longest / 2 &+ randomness.below(longest / 2)
        do { try await clock.sleep(until: moment) } catch { throw .store(.cancelled) }
    }
}

extension StoreError {
    /// The same request may succeed a moment later.
    var isPassing: Bool {
        switch self {
        case .unknownOutcome, .undecided: true
        default: false
        }
    }
}

internal import CloudStore
internal import StoreBasics
package import SyncLog

/// Chunks that are to be sent, with their bytes.
package struct CloudBackupBatch: Sendable {
    struct Piece: Sendable {
        var piece: CutContent.Piece
        var bytes: [UInt8]
    }
    let pieces: [Piece]

    /// Where they lie now.
    package struct Sent: Sendable {
        let chunks: [Chunk]
    }
}

/// What a snapshot asks of the store: what there is, the chunks that it lacks, and at the end the root, put
/// where none is. Killed before that, nothing of the snapshot is to be seen; what was sent is taken by the
/// collector, or found by the next run.
package struct CloudBackupUpload: Sendable {
    private static let tries = 8

    package let account: Account
    let writer: ContentWriter
    let device: DeviceID
    private let reader: ContentReader

    package init(_ account: Account, writer: ContentWriter, device: DeviceID) {
        self.account = account
        self.writer = writer
        self.device = device
        reader = ContentReader(account)
    }

    // MARK: The beginning

    /// Looks at what the store has, and reads the device's newest snapshot into the index.
    /// - Parameters:
    ///   - containers: this device's trees of the account, by their containers.
    ///   - buildsOn: false for a snapshot that is to rely on none before it.
    package func begin(
        _ index: any CloudBackupIndex, containers: [ContainerName: any TreeDatabase], buildsOn: Bool = true
    ) async throws(CloudBackupError) -> CloudBackupStart {
        let clock = writer.clock.now()
        let objects = try await objects()
        let backups = CloudBackups(account)
        let newest = try await backups.list(of: device).last
        var base: (info: CloudBackupInfo, root: CloudBackupRoot)?
        if buildsOn, let newest { base = try await readBase(newest, backups, into: index) }
        var trees: [CloudBackupStart.KnownTree] = []
        for (container, storage) in containers.sorted(by: { $0.key < $1.key }) {
            var tree = CloudBackupStart.KnownTree(container: container, storage: storage)
            // Of a tree without what an earlier build left out nothing is believed.
            let isWhole = try CloudBackupError.storing {
                try storage.readTree { try $0.unknownWords().isEmpty && !$0.lacksKnownOperations() }
            }
            guard isWhole else { continue }
            tree.end = try await end(of: tree)
            trees.append(tree)
        }
        let now = objects.date
        return CloudBackupStart(
            moment: StoreMoment(date: now, clock: clock), objects: objects.value, base: base?.info,
            baseRoot: base?.root, earliest: max(now, newest?.time.adding(seconds: 1) ?? now), trees: trees,
            traits: account.store.traits)
    }

    private func objects() async throws(CloudBackupError) -> Dated<[StoredName: ObjectInfo]> {
        let listing = try await CloudBackupError.asking(await account.storedObjects())
        return Dated(
            Dictionary(listing.value.map { ($0.name, $0.info) }, uniquingKeysWith: { $1 }), at: listing.date)
    }

    /// One that cannot be read is none to build on.
    private func readBase(
        _ info: CloudBackupInfo, _ backups: CloudBackups, into index: any CloudBackupIndex
    ) async throws(CloudBackupError) -> (CloudBackupInfo, CloudBackupRoot)? {
        do {
            let root = try await backups.root(of: info)
            for domain in root.domains {
                try CloudBackupError.storing { try index.insert(domain.list) }
                var cursor = CloudBackupCursor(domain, reader)
                while let (records, after) = try await cursor.advanced() {
                    try CloudBackupError.storing { try index.insert(records, of: domain.name) }
                    cursor = after
                }
            }
            return (info, root)
        } catch {
            switch error {
            case .content(.store), .storage: throw error
            default: try CloudBackupError.storing { try index.clear() }
            }
            return nil
        }
    }

    /// The end of its log where a tree is there, so that what it refers to is referred to now.
    private func end(of tree: CloudBackupStart.KnownTree) async throws(CloudBackupError) -> UInt64? {
        let head = try CloudBackupError.storing { try tree.storage.readTree { try $0.treeHead() } }
        let log = LogName.container(tree.container)
        let next = account.layout.logEntry(log, head.sequence &+ 1)
        let entry = try await CloudBackupError.asking(await account.store.head(next).value)
        guard entry == nil else { return nil }
        // An empty slot says nothing below the floor.
        let floor = try await CloudBackupError.asking(await account.highestFloor(of: log))
        return floor <= head.sequence ? head.sequence : nil
    }

    // MARK: Chunks

    package func send(_ batch: CloudBackupBatch) async throws(CloudBackupError) -> CloudBackupBatch.Sent {
        let contents = batch.pieces.map { CutContent($0.piece) }
        let plan = try await CloudBackupError.content(await writer.plan(contents, known: [:]))
        let bytes = BytesInMemory(batch.pieces.map(\.bytes))
        let sent = try await CloudBackupError.content(await writer.send(plan, from: bytes))
        // Names of our own making, just written: only a clock that jumps makes them old.
        guard sent.stale.isEmpty else { throw .expired }
        return CloudBackupBatch.Sent(chunks: plan.contents.flatMap(\.chunks))
    }

    // MARK: The end

    /// Writes the root: from then on there is a snapshot.
    /// - Parameter index: the run's.
    /// - Throws: `.expired` where that took so long, or the one before went meanwhile: then there is none.
    package func publish(
        _ root: CloudBackupRoot, _ start: CloudBackupStart, _ index: any CloudBackupIndex
    ) async throws(CloudBackupError) -> CloudBackupInfo {
        var start = start
        if !holds(start, at: start.moment.date) { start = try await renewed(start, index) }
        let bytes = root.encoded()
        let (info, date) = try await put(bytes, from: start.earliest)
        if holds(start, at: date), try await isThere(start.base) { return info }
        _ = try await CloudBackupError.asking(await account.store.delete(info.key))
        throw .expired
    }

    /// Days are too long to believe what a LIST said: everything that the snapshot refers to is looked at
    /// again.
    private func renewed(
        _ start: CloudBackupStart, _ index: any CloudBackupIndex
    ) async throws(CloudBackupError) -> CloudBackupStart {
        let clock = writer.clock.now()
        let objects = try await objects()
        var renewed = start
        renewed.moment = StoreMoment(date: objects.date, clock: clock)
        renewed.objects = objects.value
        for number in renewed.trees.indices {
            renewed.trees[number].end = try await end(of: start.trees[number])
        }
        var last: ContentHash?
        while true {
            let rows = try CloudBackupError.storing { try index.held(after: last, limit: 1_000) }
            guard let end = rows.last else { return renewed }
            for row in rows {
                let isThere = try CloudBackupError.storing {
                    try renewed.isPresent(row, account.layout, writer.retention, writer.rules)
                }
                guard isThere else { throw .expired }
            }
            last = end.chunk.chunk.hash
        }
    }

    /// Whether what the LIST at the start found may still be relied on at this date.
    private func holds(_ start: CloudBackupStart, at date: StoreTime) -> Bool {
        var checks = PresenceChecks()
        checks.insert(.pack(Bits128(0)), at: start.moment)
        return checks.hold(at: date, clock: writer.clock.now(), writer.retention, writer.rules)
    }

    /// The chain of snapshots has no break only where the one before was there until this one was.
    private func isThere(_ base: CloudBackupInfo?) async throws(CloudBackupError) -> Bool {
        guard let base else { return true }
        return try await CloudBackupError.asking(await account.store.head(base.key).value) != nil
    }

    /// Seconds have one snapshot each: where one is taken, by a try of ours whose answer was lost too, the
    /// bytes tell whose it is.
    private func put(
        _ bytes: [UInt8], from earliest: StoreTime
    ) async throws(CloudBackupError) -> (CloudBackupInfo, StoreTime) {
        var time = earliest
        var tries = 0
        while true {
            let info = CloudBackupInfo(account.layout, device: device, time: time)
            do throws(StoreError) {
                let put = try await account.store.putIfAbsent(bytes, at: info.key)
                if put.value == .written { return (info, put.date) }
                let there = try await account.store.get(info.key)
                if there.value?.bytes == bytes { return (info, there.date) }
                time = time.adding(seconds: 1)
                tries += 1
                guard tries < Self.tries else { throw StoreError.forbidden("\(info.key) is taken") }
            } catch {
                tries += 1
                guard error.isPassing, tries < Self.tries else { throw .content(.store(error)) }
                let pause = writer.clock.now() &+ 200_000_000 << UInt64(tries)
                do { try await writer.clock.sleep(until: pause) } catch { throw .content(.store(.cancelled)) }
            }
        }
    }
}

internal import SyncLog

/// Lays out what is to be sent: large chunks as objects of their own, small ones in packs, in the order in
/// which they come, each once.
struct UploadLayout {
    private let packBytes: Int
    private let smallBytes: Int
    private var files: [CutContent] = []
    private var locators: [ContentHash: Locator] = [:]
    /// Chunks that are sent, by the object that has them.
    private var groups: [[PlannedPart]] = []
    /// The one of `groups` that small chunks still go to, and what it has.
    private var open: (group: Int, bytes: Int)?
    private var isTaken: Set<ContentHash> = []

    init(packBytes: Int, parameters: ChunkingParameters) {
        self.packBytes = packBytes
        smallBytes = parameters.smallFileBytes
    }

    /// A chunk that is in the store already.
    mutating func use(_ chunk: Chunk) {
        locators[chunk.hash] = chunk.locator
        isTaken.insert(chunk.hash)
    }

    /// A file, of whose chunks those are sent that no file before had; where `only` is given, of those.
    mutating func add(_ file: CutContent, index: Int, only wanted: Set<ContentHash>? = nil) {
        if wanted == nil { files.append(file) }
        var offset: UInt64 = 0
        for piece in file.pieces {
            if wanted?.contains(piece.hash) ?? true, isTaken.insert(piece.hash).inserted {
                place(
                    PlannedPart(
                        hash: piece.hash, sizeBytes: piece.sizeBytes, locator: .object(0), file: index,
                        offset: offset))
            }
            offset += UInt64(piece.sizeBytes)
        }
    }

    private mutating func place(_ part: PlannedPart) {
        let size = Int(part.sizeBytes)
        guard size <= smallBytes else { return groups.append([part]) }
        if let open, open.bytes + size <= packBytes {
            groups[open.group].append(part)
            self.open = (open.group, open.bytes + size)
        } else {
            groups.append([part])
            open = (groups.count - 1, size)
        }
    }

    /// Gives every new object a name that nothing ever had.
    func plan(
        _ layout: StoreLayout, _ randomness: any SyncRandomness, checks: PresenceChecks
    ) -> ContentPlan {
        var locators = locators
        let uploads = groups.map { group in
            let upload = Self.name(group, layout, randomness)
            for part in upload.parts { locators[part.hash] = part.locator }
            return upload
        }
        return ContentPlan(
            contents: files.map { $0.content(at: locators) }, uploads: uploads, checks: checks)
    }

    /// A pack of one is an object: its name then follows from what it holds.
    private static func name(
        _ group: [PlannedPart], _ layout: StoreLayout, _ randomness: any SyncRandomness
    ) -> PlannedObject {
        var parts = group
        if group.count == 1 {
            parts[0].locator = .object(randomness.next())
        } else {
            let id = randomness.identifier()
            var offset: UInt32 = 0
            for index in parts.indices {
                parts[index].locator = .pack(Bits128(id), offset: offset)
                offset += parts[index].sizeBytes
            }
        }
        return PlannedObject(name: layout.name(of: parts[0].hash, at: parts[0].locator), parts: parts)
    }
}

extension CutContent {
    /// This content with its chunks where they lie.
    fileprivate func content(at locators: [ContentHash: Locator]) -> FileContent {
        let chunks = pieces.compactMap { piece in
            locators[piece.hash].map {
                Chunk(hash: piece.hash, sizeBytes: piece.sizeBytes, locator: $0)
            }
        }
        return FileContent(hash: hash, sizeBytes: sizeBytes, chunks: chunks)
    }
}

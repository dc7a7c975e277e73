internal import CloudStore
internal import StoreBasics
internal import SyncLog

/// What an account needs of its store's chunks and packs.
struct LiveSet {
    struct Pack {
        /// What is needed of it, by offset.
        var parts: [UInt32: Part] = [:]
        var liveBytes: UInt64 { parts.values.reduce(0) { $0 + UInt64($1.chunk.sizeBytes) } }
    }

    struct Part: Equatable, Sendable {
        var chunk: Chunk
        /// Whose trees refer to it.
        var containers: Set<ContainerName>

        /// As a file of one piece.
        var content: CutContent {
            CutContent(CutContent.Piece(hash: chunk.hash, sizeBytes: chunk.sizeBytes))
        }
    }

    /// A chunk that was put elsewhere, and in whose log that is said.
    struct Moved {
        /// Where it lay.
        var chunk: Relocation
        /// Where it lies now.
        var name: StoredName
        var container: ContainerName
    }

    /// By what a replaced place is judged.
    struct Terms {
        var layout: StoreLayout
        /// A locator that was replaced before this is only needed while the new one is not found.
        var replacedBefore: StoreTime
        var rules: SafetyRules
    }

    private(set) var names: Set<StoredName> = []
    private(set) var packs: [Bits128: Pack] = [:]
    /// Those that have bytes which a person took out of the cloud, whose retention is over.
    private(set) var doomedPacks: Set<Bits128> = []
    /// Of the trees that were read.
    var notes: [any TreeDatabase] = []
    /// Those that backup snapshots have a part in: to move the other parts out would free nothing.
    private(set) var heldPacks: Set<Bits128> = []
    /// Where chunks lay, too long ago to count by that alone, by that name.
    private(set) var replaced: [StoredName: [Moved]] = [:]
    /// The earliest time at which a chunk was put elsewhere whose old place is still needed.
    private(set) var firstReplaced: StoreTime?

    /// An object that is needed whole: a page, a spilled list.
    mutating func insert(_ name: StoredName) {
        names.insert(name)
    }

    /// A chunk of a backup snapshot, which never changes: what it refers to stays where it is.
    mutating func insert(_ held: HeldChunk, _ layout: StoreLayout) {
        names.insert(layout.name(of: held.chunk.hash, at: held.chunk.locator))
        if case .pack(let id, _) = held.chunk.locator { heldPacks.insert(id) }
    }

    mutating func doom(_ pack: Bits128) { doomedPacks.insert(pack) }

    /// A chunk of a container's tree.
    mutating func insert(_ record: ChunkRecord, of container: ContainerName, _ terms: Terms) {
        let name = terms.layout.name(of: record.hash, at: record.locator)
        names.insert(name)
        if case .pack(let id, let offset) = record.locator {
            let chunk = Chunk(hash: record.hash, sizeBytes: record.sizeBytes, locator: record.locator)
            var pack = packs[id] ?? Pack()
            pack.parts[offset, default: Part(chunk: chunk, containers: [])].containers.insert(container)
            packs[id] = pack
        }
        guard terms.rules.hold(.replacedLocatorsStay) else { return }
        for replaced in record.replaced {
            let old = terms.layout.name(of: record.hash, at: replaced.locator)
            if terms.replacedBefore < replaced.time {
                names.insert(old)
                firstReplaced = min(firstReplaced ?? replaced.time, replaced.time)
            } else if old != name {
                let chunk = Relocation(chunk: record.hash, locator: replaced.locator)
                self.replaced[old, default: []].append(
                    Moved(chunk: chunk, name: name, container: container))
            }
        }
    }
}

internal import CloudStore
internal import StoreBasics
internal import SyncLog

/// What an account needs of a part of its store's chunks and packs. All else that it needs is not remembered.
struct LiveSet {
    /// What lies in a pack.
    struct Pack {
        var sizeBytes: UInt64
        var liveBytes: UInt64 = 0
        var liveChunks = 0
        /// Backup snapshots have a part in it: to move the other parts out would free nothing.
        var isHeld = false
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

    /// A container's tree, as it was when it was read.
    struct Tree {
        var container: ContainerName
        var frozen: any TreeDatabase
        /// The same one, whose notes may be written.
        var storage: any TreeDatabase
    }

    let part: StoredPart?
    /// Objects of the part that nothing was found to need.
    private(set) var unneeded: [StoredName: ObjectInfo] = [:]
    /// Packs of the part.
    private(set) var packs: [Bits128: Pack] = [:]
    /// Packs by names of the part with bytes which a person took out of the cloud, whose retention is over.
    private(set) var doomedPacks: Set<Bits128> = []
    /// Those that were read.
    var trees: [Tree] = []
    /// Where chunks lay, too long ago to count by that alone, by that name.
    private(set) var replaced: [StoredName: [Moved]] = [:]
    /// The earliest time at which a chunk was put elsewhere whose old place is still needed.
    private(set) var firstReplaced: StoreTime?

    /// - Parameter part: nil: only trees are asked for.
    init(of part: StoredPart? = nil) {
        self.part = part
        for object in part?.objects ?? [] {
            unneeded[object.name] = object.info
            if case .pack(let id) = object.name { packs[id] = Pack(sizeBytes: object.info.sizeBytes) }
        }
    }

    /// An object that is needed whole: a page, a spilled list.
    mutating func insert(_ name: StoredName) {
        unneeded[name] = nil
    }

    /// A chunk of a backup snapshot, which never changes: what it refers to stays where it is.
    mutating func insert(_ held: HeldChunk, _ layout: StoreLayout) {
        guard part != nil else { return }
        insert(layout.name(of: held.chunk.hash, at: held.chunk.locator))
        if case .pack(let id, _) = held.chunk.locator { packs[id]?.isHeld = true }
    }

    mutating func doom(_ pack: Bits128) {
        if let part, part.contains(.pack(pack)) { doomedPacks.insert(pack) }
    }

    /// A chunk of a container's tree.
    mutating func insert(_ record: ChunkRecord, of container: ContainerName, _ terms: Terms) {
        let name = terms.layout.name(of: record.hash, at: record.locator)
        insert(name)
        if case .pack(let id, _) = record.locator, packs[id] != nil {
            packs[id]?.liveBytes += UInt64(record.sizeBytes)
            packs[id]?.liveChunks += 1
        }
        guard terms.rules.hold(.replacedLocatorsStay) else { return }
        for replaced in record.replaced {
            let old = terms.layout.name(of: record.hash, at: replaced.locator)
            if terms.replacedBefore < replaced.time {
                insert(old)
                firstReplaced = min(firstReplaced ?? replaced.time, replaced.time)
            } else if old != name, unneeded[old] != nil {
                let chunk = Relocation(chunk: record.hash, locator: replaced.locator)
                self.replaced[old, default: []].append(
                    Moved(chunk: chunk, name: name, container: container))
            }
        }
    }
}

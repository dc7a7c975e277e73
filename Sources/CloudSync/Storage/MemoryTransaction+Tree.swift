internal import CloudStore
internal import StoreBasics
internal import SyncLog

extension MemoryTransaction {
    // MARK: Nodes
    func node(_ id: FileID) -> Node? { state.tree.nodes[id] }

    func setNode(_ node: Node) { state.tree.set(node) }

    func removeNode(_ id: FileID) { state.tree.remove(id) }

    func alias(_ id: FileID) -> FileID? { state.tree.aliases[id] }

    func setAlias(_ id: FileID, to target: FileID?) { state.tree.aliases[id] = target }

    // MARK: Directories
    func child(of parent: FileID, named name: NormalizedName) -> FileID? {
        state.tree.directories[parent]?.names[name]
    }

    func children(of parent: FileID, after name: NormalizedName?, limit: Int) -> [Node] {
        let names = state.tree.directories[parent]?.names ?? [:]
        return names.filter { entry in name.map { $0 < entry.key } ?? true }
            .sorted { $0.key < $1.key }.prefix(limit).compactMap { state.tree.nodes[$0.value] }
    }

    func formerChildren(of parent: FileID, after id: FileID?, limit: Int) -> [Node] {
        page(state.tree.directories[parent]?.former ?? [], after: id, limit: limit)
            .compactMap { state.tree.nodes[$0] }
    }

    func hasChildren(_ parent: FileID) -> Bool {
        state.tree.directories[parent].map { !$0.names.isEmpty } ?? false
    }

    func hasFormerChildren(_ parent: FileID) -> Bool {
        state.tree.directories[parent].map { !$0.former.isEmpty } ?? false
    }

    // MARK: History
    func retained(_ key: RetainedContent.Key) -> RetainedContent? {
        state.tree.history[key.file]?.first { $0.key == key }
    }

    func history(of file: FileID) -> [RetainedContent] { state.tree.history[file] ?? [] }

    func setRetained(_ content: RetainedContent) { state.tree.set(content) }

    func removeRetained(_ key: RetainedContent.Key) { state.tree.remove(key) }

    // MARK: Chunks
    func chunk(_ hash: ContentHash) -> ChunkRecord? { state.tree.chunks[hash] }

    func setChunk(_ chunk: ChunkRecord) { state.tree.chunks[chunk.hash] = chunk }

    func removeChunk(_ hash: ContentHash) { state.tree.chunks[hash] = nil }

    // MARK: What expires
    func firstExpiry(_ kind: ExpiryKind, before time: StoreTime) -> Expiry? {
        state.tree.expiries[kind]?.first(before: time)
    }

    func addExpiry(_ expiry: Expiry) {
        state.tree.expiries[expiry.kind, default: MemoryTree.Expiries()].add(expiry)
    }

    func removeExpiry(_ expiry: Expiry) { state.tree.expiries[expiry.kind]?.entries.remove(expiry) }

    // MARK: Keys and values
    func keyValue(_ key: KeyName) -> KeyValueRecord? { state.tree.keyValues[key] }

    func setKeyValue(_ record: KeyValueRecord) { state.tree.keyValues[record.key] = record }

    func removeKeyValue(_ key: KeyName) { state.tree.keyValues[key] = nil }

    func keyValues(after key: KeyName?, limit: Int) -> [KeyValueRecord] {
        page(state.tree.keyValues.keys, after: key, limit: limit).compactMap { state.tree.keyValues[$0] }
    }

    func firstRemovedKey(before stamp: KeyValueStamp) -> KeyName? {
        state.tree.keyValues.values.filter { $0.value == nil && $0.stamp < stamp }
            .min { ($0.stamp, $0.key) < ($1.stamp, $1.key) }?.key
    }

    // MARK: The log
    func treeHead() -> TreeHead { state.tree.head }

    func setTreeHead(_ head: TreeHead) { state.tree.head = head }

    func commitProgress() -> CommitProgress? { state.tree.progress }

    func setCommitProgress(_ progress: CommitProgress?) { state.tree.progress = progress }

    func deviceMark(_ device: DeviceID) -> DeviceMark? { state.tree.devices[device] }

    func setDeviceMark(_ mark: DeviceMark) { state.tree.devices[mark.device] = mark }

    func words() -> [String] { state.tree.words.sorted() }

    func addWord(_ word: String) { state.tree.words.insert(word) }

    // MARK: As a whole
    func treeCounts() -> TreeCounts { state.tree.counts }

    func conflicts(after id: FileID?, limit: Int) -> [Node] {
        page(state.tree.conflicts, after: id, limit: limit).compactMap { state.tree.nodes[$0] }
    }

    func conflicts(in parent: FileID) -> [Node] {
        conflicts(after: nil, limit: .max).filter { $0.parent == parent }
    }

    func nodes(after id: FileID?, limit: Int) -> [Node] {
        page(state.tree.nodes.keys, after: id, limit: limit).compactMap { state.tree.nodes[$0] }
    }

    func retainedContents(after key: RetainedContent.Key?, limit: Int) -> [RetainedContent] {
        let contents = state.tree.history.values.joined()
        return page(contents.map(\.key), after: key, limit: limit).compactMap(retained)
    }

    func chunks(after hash: ContentHash?, limit: Int) -> [ChunkRecord] {
        page(state.tree.chunks.keys, after: hash, limit: limit).compactMap { state.tree.chunks[$0] }
    }

    func deviceMarks() -> [DeviceMark] { state.tree.devices.values.sorted { $0.device < $1.device } }

    /// Computed: trees in memory are small, and nearly no commit asks.
    func recordSum() throws -> HashSum { try computeRecordSum() }

    func clearTree() { state.tree = MemoryTree() }

    func page<Key: Comparable>(_ keys: some Collection<Key>, after key: Key?, limit: Int) -> [Key] {
        Array(keys.filter { candidate in key.map { $0 < candidate } ?? true }.sorted().prefix(limit))
    }
}

internal import Backup
internal import Databases
internal import FoundationEssentials
internal import Posix
internal import Synchronization
internal import SystemPackage

/// What a backup holds, as directories show it. A domain's items are read from the backup's list when
/// something that may hold them is first looked at.
final class BackupContents: Sendable {
    typealias Number = BackupTree.Number

    /// Held while the list is read: whoever looks at something else waits.
    private let state: Lock<ContentsState>
    /// The file that says what was refused, which grows.
    let refusedList: Number?
    private let isComplete = Atomic(false)
    private let source: BackupSource
    private let isEncrypted: Bool
    private let showsEmptyLogs: Bool

    init(
        _ reader: BackupReader, _ arrangement: Arrangement, showsEmptyLogs: Bool
    ) throws(BackupError) {
        self.showsEmptyLogs = showsEmptyLogs
        source = reader.source
        isEncrypted = reader.summary.isEncrypted
        let missing = ItemFacts(directoryAt: Int64(reader.summary.date.timeIntervalSince1970))
        var state = ContentsState(reader, missing: missing)
        state.makeRefusedList()
        try arrangement.arrange(reader, in: &state)
        refusedList = state.refusedList
        self.state = Lock(state)
    }

    /// Whether the backup is read through a mount on which no access time moves.
    var isOnOwnMount: Bool { source.isOwnMount }

    /// Whether a look at an item, or at what a directory holds, may take long: something of it was not read
    /// yet, or somebody reads just now, who may hold the lock for seconds.
    func isSlow(at number: Number) -> Bool {
        if isComplete.load(ordering: .relaxed) { return false }
        return state.withLockIfFree { $0.isUnread(number) } ?? true
    }

    /// What was not believed, so far.
    var refused: RefusedItems { state.withLock { $0.refused } }

    var count: Int { state.withLock { $0.tree.count } }

    /// - Throws: ENOENT.
    func child(_ name: UnsafeRawBufferPointer, of parent: Number) throws(Errno) -> (Number, ItemFacts) {
        if let found = try childIfThere(name, of: parent) { return found }
        guard showsEmptyLogs, isLog(name),
            let database = try childIfThere(
                UnsafeRawBufferPointer(rebasing: name.dropLast(4)), of: parent),
            try isInLogMode(database.0)
        else { throw .noSuchFileOrDirectory }
        return try state.withLock { (state) throws(Errno) in
            guard let number = state.emptyLog(name, in: parent) else { throw .noSuchFileOrDirectory }
            return (number, state.facts(number))
        }
    }

    private func childIfThere(
        _ name: UnsafeRawBufferPointer, of parent: Number
    ) throws(Errno) -> (Number, ItemFacts)? {
        try state.withLock { (state) throws(Errno) in
            try read(parent, in: &state)
            return state.tree.child(name, of: parent).map { ($0, state.facts($0)) }
        }
    }

    private func isLog(_ name: UnsafeRawBufferPointer) -> Bool {
        name.count > 4 && ["-wal", "-shm"].contains { name.suffix(4).elementsEqual($0.utf8) }
    }

    private func read(_ directory: Number, in state: inout ContentsState) throws(Errno) {
        guard state.tree.isKnown(directory) else { throw .staleHandle }
        if isComplete.load(ordering: .relaxed) { return }
        state.read(directory)
        if state.isComplete { isComplete.store(true, ordering: .relaxed) }
    }

    /// Whether SQLite wants a log beside that file.
    private func isInLogMode(_ number: Number) throws(Errno) -> Bool {
        guard try facts(number).isFile, case .blob(let bytes) = try open(number).content else { return false }
        let header = try bytes.read(offset: 0, count: 20)
        return DatabaseFile.isDatabase(header: header) && header.suffix(2).elementsEqual([2, 2])
    }

    /// Whether it is a file that only this mount has.
    func isSynthetic(_ number: Number) -> Bool { state.withLock { $0.made[number] != nil } }

    func facts(_ number: Number) throws(Errno) -> ItemFacts {
        try state.withLock { (state) throws(Errno) in
            guard state.tree.isKnown(number) else { throw .staleHandle }
            return state.facts(number)
        }
    }

    /// Calls `body` with what a directory holds, in the order of names, from an index on.
    /// - Parameter body: returns false to end it; takes no lock.
    func forEachChild(
        of parent: Number, from index: Int, _ body: (UnsafeRawBufferPointer, Number, ItemFacts) -> Bool
    ) throws(Errno) {
        try state.withLock { (state) throws(Errno) in
            try read(parent, in: &state)
            guard state.tree.isDirectory(parent) else { throw .notDirectory }
            for number in state.tree.children(of: parent).dropFirst(index) {
                let facts = state.facts(number)
                guard state.tree.withName(of: number, { body($0, number, facts) }) else { return }
            }
        }
    }

    /// What the backup's list says of an item; nil where it has nothing of it.
    func item(_ number: Number) throws(Errno) -> StoredItem? {
        guard let identifier = try facts(number).identifier else { return nil }
        return try state.withLock { (state) throws(Errno) in try state.item(identifier) }
    }

    /// What a file holds.
    /// - Throws: EIO where it is lost.
    func open(_ number: Number) throws(Errno) -> OpenFile {
        if let made = state.withLock({ $0.made[number] }) { return open(made) }
        let facts = try facts(number)
        guard facts.isFile, let identifier = facts.identifier else { throw .invalidArgument }
        if facts.sizeBytes == 0 { return OpenFile(.bytes([]), sizeBytes: 0) }
        let bytes =
            isEncrypted
            ? try state.withLock { (state) throws(Errno) in try state.bytes(identifier) }
            : try BackupReader.plainBytes(identifier, in: source)
        guard let bytes else { throw .ioError }
        return OpenFile(.blob(bytes), sizeBytes: facts.sizeBytes)
    }

    private func open(_ made: MadeFile) -> OpenFile {
        switch made {
        case .list(let bytes, let sizeBytes): OpenFile(.blob(bytes), sizeBytes: sizeBytes)
        case .bytes(let bytes): OpenFile(.bytes(bytes), sizeBytes: Int64(bytes.count))
        case .refused: OpenFile(growing: refused.text)
        }
    }
}

extension ContentsState {
    fileprivate func item(_ identifier: FileIdentifier) throws(Errno) -> StoredItem? {
        do throws(BackupError) { return try reader.item(identifier) } catch { throw .ioError }
    }

    fileprivate func bytes(_ identifier: FileIdentifier) throws(Errno) -> BlobBytes? {
        guard let item = try item(identifier) else { return nil }
        do throws(BackupError) { return try reader.bytes(of: item) } catch { throw .ioError }
    }
}

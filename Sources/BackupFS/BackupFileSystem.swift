package import Backup
package import CLinux
package import FuseKit
package import Posix
package import SystemPackage

/// A backup as a read-only file system. Modes and owners are shown as they were recorded and not enforced:
/// who mounts it reads all.
package final class BackupFileSystem: FileSystem {
    private let contents: BackupContents
    package let root = NodeKey(rawValue: BackupTree.root)
    let files = OpenNumbers<OpenFile>()
    let backings = Backings()

    /// - Parameters:
    ///   - reader: used by nobody else from now on.
    ///   - showsEmptyLogs: SQLite opens a database that has a log only where it finds that and its index: a
    ///     name for each is there then, which no listing has, where the backup has none.
    package init(
        _ reader: BackupReader, _ arrangement: Arrangement, showsEmptyLogs: Bool = false
    ) throws(BackupError) {
        contents = try BackupContents(reader, arrangement, showsEmptyLogs: showsEmptyLogs)
    }

    /// Rows that were not believed, so far.
    package var refused: RefusedItems { contents.refused }

    package func isSlow(at node: NodeKey) -> Bool { contents.isSlow(at: node.rawValue) }

    /// Nothing ever changes but the list of what was refused: the kernel may believe all else as long as it
    /// likes.
    private static let believedSeconds = 86_400.0

    package func lookup(
        _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        let (number, facts) = try contents.child(name.bytes, of: directory.rawValue)
        return entry(number, facts)
    }

    private func entry(_ number: BackupTree.Number, _ facts: ItemFacts) -> Entry {
        Entry(
            node: NodeKey(rawValue: number), generation: 1, status: facts.status(number: number),
            entrySeconds: Self.believedSeconds, attributeSeconds: believedSeconds(number))
    }

    /// Numbers live as long as the file system.
    package func forget(_ node: NodeKey, count: Int) {}

    package func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        let facts = try contents.facts(node.rawValue)
        return Attributes(
            status: facts.status(number: node.rawValue), seconds: believedSeconds(node.rawValue))
    }

    private func believedSeconds(_ number: BackupTree.Number) -> Double {
        number == contents.refusedList ? 0 : Self.believedSeconds
    }

    package func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        guard case .symlink(let target) = try contents.item(node.rawValue)?.kind else {
            throw .invalidArgument
        }
        return UnbackedItem.give(target.utf8, to: buffer)
    }

    package func statistics(of node: NodeKey) throws(Errno) -> statvfs {
        var statistics = statvfs()
        (statistics.f_bsize, statistics.f_frsize) = (4096, 4096)
        statistics.f_files = UInt(contents.count)
        // iOS allows 255 units of UTF-16, which are as many as this in UTF-8.
        statistics.f_namemax = 765
        return statistics
    }

    // MARK: Directories

    package var keepsListings: Bool { true }

    package func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        throw .noFunction
    }

    package func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        var index = Int(clamping: offset)
        // A listing cannot be kept by a closure.
        var names: [(name: [CChar], number: BackupTree.Number, facts: ItemFacts)] = []
        try contents.forEachChild(of: node.rawValue, from: index) { name, number, facts in
            names.append((name.map { CChar(bitPattern: $0) } + [0], number, facts))
            return names.count < Self.listedAtOnce
        }
        for (name, number, facts) in names {
            index += 1
            guard add(name, number, facts, to: &listing, next: Int64(index)) else { return }
        }
    }

    /// About as many as one answer holds.
    private static let listedAtOnce = 64

    private func add(
        _ name: [CChar], _ number: BackupTree.Number, _ facts: ItemFacts, to listing: inout Listing,
        next: Int64
    ) -> Bool {
        name.withUnsafeBufferPointer { pointer in
            guard let start = pointer.baseAddress else { return true }
            let name = FileName(start, count: pointer.count - 1)
            if listing.wantsEntries { return listing.add(name, entry(number, facts), next: next) }
            let status = facts.status(number: number)
            return listing.add(name, inode: UInt64(status.st_ino), mode: status.st_mode, next: next)
        }
    }

    package func releaseDirectory(_ node: NodeKey, handle: HandleKey) {}

    // MARK: For the other files of this type

    var leavesNoTrace: Bool { contents.isOnOwnMount }
    func isSynthetic(_ node: NodeKey) -> Bool { contents.isSynthetic(node.rawValue) }
    func openFile(_ node: NodeKey) throws(Errno) -> OpenFile { try contents.open(node.rawValue) }
    func facts(_ node: NodeKey) throws(Errno) -> ItemFacts { try contents.facts(node.rawValue) }
    func item(_ node: NodeKey) throws(Errno) -> StoredItem? { try contents.item(node.rawValue) }
}

extension ItemFacts {
    func status(number: BackupTree.Number) -> stat {
        // 1 is the root's, as FUSE has it.
        var status = FileMode.status(
            UInt32(mode), of: Owner(uid: userID, gid: groupID), at: 0, number: UInt64(number) + 1,
            sizeBytes: sizeBytes)
        status.st_nlink = 1
        status.st_blocks = UnbackedItem.blocks(ofBytes: UInt64(sizeBytes))
        status.st_mtim = timespec(tv_sec: Int(modified), tv_nsec: 0)
        status.st_ctim = timespec(tv_sec: Int(changed), tv_nsec: 0)
        status.st_atim = status.st_mtim
        return status
    }
}

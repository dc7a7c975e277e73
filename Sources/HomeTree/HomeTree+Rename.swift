internal import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

/// What has to hold of a database that is put in place, moved or taken away: nobody has it open, and none of
/// the files that SQLite keeps beside it is there.
public struct UnusedFile {
    public let directory: InodeNumber
    public let companions: [String]

    public init(in directory: InodeNumber, companions: [String]) {
        self.directory = directory
        self.companions = companions
    }
}

/// The inodes whose attributes a rename has changed; nil where nobody knows the inode.
public struct Renamed: Sendable {
    /// What has the new name now.
    public var moved: InodeNumber?
    /// What had it before, or what was exchanged with it.
    public var other: InodeNumber?
    /// Whether the name led to an item with a skip-backup flag, and does not now.
    var newNameLacksFlag = false
    var oldNameLacksFlag = false
}

extension HomeTree {
    /// Gives an item another name. Errors as renameat2(2).
    ///
    /// What is replaced keeps its stored spelling; a name that is new is stored as given.
    /// - Parameter flags: RENAME_NOREPLACE, RENAME_EXCHANGE; others are EINVAL.
    /// - Returns: the inodes whose attributes it changed, as far as they are known.
    @discardableResult
    public func rename(
        _ name: FileName, in directory: InodeNumber, to newName: FileName, in newDirectory: InodeNumber,
        flags: UInt32 = 0, by asker: Asker = .daemon
    ) throws(Errno) -> Renamed {
        if flags & ~(lx_rename_noreplace | lx_rename_exchange) != 0 { throw .invalidArgument }
        let renamed = try withMove(name, in: directory, to: newName, in: newDirectory) {
            (move) throws(Errno) in try perform(move, flags: flags)
        }
        if renamed.newNameLacksFlag || comes(from: directory, into: newDirectory) {
            outlet.mayLackFlag(newName, in: newDirectory, by: asker, of: self)
        }
        let isExchange = flags & lx_rename_exchange != 0
        if renamed.oldNameLacksFlag || isExchange && comes(from: newDirectory, into: directory) {
            outlet.mayLackFlag(name, in: directory, by: asker, of: self)
        }
        return renamed
    }

    /// Whether an item that was moved has left a directory that carries a skip-backup flag, or is below one.
    private func comes(from directory: InodeNumber, into newDirectory: InodeNumber) -> Bool {
        guard outlet.examinesFlags, directory != newDirectory else { return false }
        return (try? isFlaggedOrBelow(directory)) ?? false
    }

    /// As `rename`, if both names stand for what the caller expects; nothing that goes through the tree comes
    /// between the look and the rename, nor between that and the stamp.
    /// - Parameter unused: nobody may have either file open meanwhile, nor may these names be beside it.
    /// - Returns: the stamp of what has the new name now; nil where something unexpected is there.
    /// - Throws: as `rename`; EWOULDBLOCK where somebody has one of them open.
    public func rename(
        _ name: FileName, in directory: InodeNumber, to newName: FileName, in newDirectory: InodeNumber,
        flags: UInt32, unused: UnusedFile? = nil, _ matching: NameMatching = .asShown,
        if isExpected: (ItemStamp, _ target: ItemStamp?) -> Bool
    ) throws(Errno) -> ItemStamp? {
        var renamed = Renamed()
        let stamp = try withMove(name, in: directory, to: newName, in: newDirectory, matching) {
            (move) throws(Errno) -> ItemStamp? in
            let present = try ItemStamp(move.source, move.name.cString)
            let target = try ItemStamp.ifPresent(move.target, move.newName.cString)
            guard isExpected(present, target) else { return nil }
            func act() throws(Errno) -> ItemStamp {
                renamed = try perform(move, flags: flags)
                return try ItemStamp(move.target, move.newName.cString)
            }
            guard let unused else { return try act() }
            let beside = unused.directory == directory ? move.source : move.target
            for companion in unused.companions {
                if try isPresent(companion, in: unused.directory, beside) { return nil }
            }
            let files =
                [(move.source, move.name.cString)]
                + (target == nil ? [] : [(move.target, move.newName.cString)])
            return try whileUnused(files, act)
        }
        if stamp != nil {
            caches.announce(
                [(name, directory), (newName, newDirectory)],
                contents: [renamed.moved, renamed.other].compactMap { $0 })
        }
        return stamp
    }

    /// Whether the directory, which is locked, holds the name in any spelling.
    private func isPresent(
        _ name: String, in directory: InodeNumber, _ descriptor: Int32
    ) throws(Errno) -> Bool {
        try name.withFileName { (name) throws(Errno) in
            try withStored(name, in: directory, descriptor) { (stored) throws(Errno) in
                try ItemStamp.ifPresent(descriptor, stored.cString) != nil
            }
        }
    }

    /// Runs `body` with both directories locked and open, and both names as stored.
    private func withMove<R>(
        _ name: FileName, in directory: InodeNumber, to newName: FileName, in newDirectory: InodeNumber,
        _ matching: NameMatching = .asShown, _ body: (Move) throws(Errno) -> R
    ) throws(Errno) -> R {
        try withShortName(of: name) { (short) throws(Errno) in
            try withShortName(of: newName) { (newShort) throws(Errno) in
                try withLockedMove(
                    (short, asked: name), in: directory, to: (newShort, asked: newName), in: newDirectory,
                    matching, body)
            }
        }
    }

    private func withLockedMove<R>(
        _ from: (short: FileName, asked: FileName), in directory: InodeNumber,
        to: (short: FileName, asked: FileName), in newDirectory: InodeNumber,
        _ matching: NameMatching, _ body: (Move) throws(Errno) -> R
    ) throws(Errno) -> R {
        let (name, newName) = (from.short, to.short)
        return try inodes.withDirectory(directory) { (source) throws(Errno) in
            try inodes.withDirectory(newDirectory) { (target) throws(Errno) in
                try inodes.locks.withLocks(of: directory, newDirectory) { () throws(Errno) in
                    try withStored(name, in: directory, source, matching) { (stored) throws(Errno) in
                        try withStored(newName, in: newDirectory, target, matching) {
                            (newStored) throws(Errno) in
                            let result = try body(
                                Move(
                                    name: stored, directory: directory, source: source,
                                    newName: newStored, newDirectory: newDirectory, target: target,
                                    longName: from.asked, newLongName: to.asked))
                            tellStored(stored, askedAs: name, in: directory)
                            tellStored(newStored, askedAs: newName, in: newDirectory)
                            return result
                        }
                    }
                }
            }
        }
    }

    /// One rename with everything it needs: both names as stored, both directories locked and open.
    private struct Move {
        let name: FileName
        let directory: InodeNumber
        let source: Int32
        let newName: FileName
        let newDirectory: InodeNumber
        let target: Int32
        /// The names that were asked for; others where those are too long for a disk.
        let longName: FileName
        let newLongName: FileName
    }

    /// An item has the long name that it gets before it gets it, and the one before until it has another long
    /// one: of a rename there and back sync then tells nothing of names.
    private func perform(_ move: Move, flags: UInt32) throws(Errno) -> Renamed {
        let isExchange = flags & lx_rename_exchange != 0
        try LongNames.write(move.newLongName, as: move.newName, of: move.name.cString, in: move.source)
        if isExchange {
            try LongNames.write(move.longName, as: move.name, of: move.newName.cString, in: move.target)
        }
        let renamed = try isExchange ? exchange(move) : moveOver(move, flags: flags)
        noteLongName(
            move.newLongName, as: move.newName, insteadOf: move.name, in: move.newDirectory, move.target,
            of: renamed.moved)
        if isExchange {
            noteLongName(
                move.longName, as: move.name, insteadOf: move.newName, in: move.directory, move.source,
                of: renamed.other)
        }
        return renamed
    }

    /// An item got a name in the place of another one. Without effect for a name that is short.
    private func noteLongName(
        _ long: FileName, as short: FileName, insteadOf old: FileName, in directory: InodeNumber,
        _ descriptor: Int32, of item: InodeNumber?
    ) {
        guard LongName.isLong(long.bytes) else { return }
        // A kernel gives the new name what it remembers of the old one, and hears of the short one alone.
        caches.tellName(long.bytes, in: directory)
        if !old.bytes.elementsEqual(short.bytes) { LongNames.remove(old, of: short, in: descriptor) }
        if let item { noteChanged(item) }
    }

    /// Most renames replace nothing: one call tells so, and spares a look at either name before it.
    private func moveOver(_ move: Move, flags: UInt32) throws(Errno) -> Renamed {
        let result = lx_renameat2(
            move.source, move.name.cString, move.target, move.newName.cString, lx_rename_noreplace)
        if result == 0 {
            var renamed = Renamed(moved: noteMoved(move))
            // Somebody may save it anew under its name.
            renamed.oldNameLacksFlag = isFlagged(renamed.moved, move.target, move.newName)
            return renamed
        }
        // EINVAL: a backing file system that does not know the flag.
        let mayReplace = result == -Errno.fileExists.rawValue || result == -Errno.invalidArgument.rawValue
        guard mayReplace, flags & lx_rename_noreplace == 0 else { throw Errno(rawValue: -result) }
        return try replace(move)
    }

    private func replace(_ move: Move) throws(Errno) -> Renamed {
        let status = try stat(move.source, move.name.cString)
        var renamed = Renamed()
        if var victim = try existing(move.newName, in: move) {
            // Two names of one inode: rename(2) does nothing, and both stay.
            if victim.identity == Identity(status) { return renamed }
            let wasFlagged = isFlagged(victim.inode, move.target, move.newName)
            try renamePlainly(move)
            finish(&victim, of: move.newName, in: move.newDirectory)
            renamed.other = victim.inode
            renamed.newNameLacksFlag = wasFlagged
        } else {
            try renamePlainly(move)
        }
        renamed.moved = noteMoved(move)
        renamed.oldNameLacksFlag = isFlagged(renamed.moved, move.target, move.newName)
        if renamed.oldNameLacksFlag { renamed.newNameLacksFlag = false }
        return renamed
    }

    private func renamePlainly(_ move: Move) throws(Errno) {
        try valueOrErrno(lx_renameat2(move.source, move.name.cString, move.target, move.newName.cString, 0))
    }

    private func existing(_ name: FileName, in move: Move) throws(Errno) -> NameRemoval? {
        do throws(Errno) {
            return try NameRemoval(of: name, in: move.newDirectory, move.target, inodes)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    private func noteMoved(_ move: Move) -> InodeNumber? {
        noteRemoved(move.name, in: move.directory)
        noteAdded(move.newName, in: move.newDirectory)
        let moved = tables.withLock {
            $0.move(from: move.name, in: move.directory, to: move.newName, in: move.newDirectory)
        }
        noteNames(move.name, in: move.directory, move.newName, in: move.newDirectory)
        if let moved { return moved }
        // Nobody knows it, or by another of its names.
        guard let status = try? stat(move.target, move.newName.cString) else { return nil }
        return tables.withLock { $0.inode(Identity(status)) }
    }

    /// Swaps what two names stand for. The spellings stay where they are.
    private func exchange(_ move: Move) throws(Errno) -> Renamed {
        let one = try stat(move.source, move.name.cString)
        let other = try stat(move.target, move.newName.cString)
        try valueOrErrno(
            lx_renameat2(
                move.source, move.name.cString, move.target, move.newName.cString, lx_rename_exchange))
        var renamed = tables.withLock {
            $0.exchange(
                (Identity(one), move.name, move.directory), (Identity(other), move.newName, move.newDirectory)
            )
        }
        noteNames(
            move.name, in: move.directory, move.newName, in: move.newDirectory, isExchange: true)
        let isFlagged = isFlagged(renamed.moved, move.target, move.newName)
        let isOtherFlagged = self.isFlagged(renamed.other, move.source, move.name)
        renamed.newNameLacksFlag = isOtherFlagged && !isFlagged
        renamed.oldNameLacksFlag = isFlagged && !isOtherFlagged
        return renamed
    }

    /// Runs `body`, which waits for nothing, while nobody has any of the files open or can open it. Where the
    /// file system knows no leases, who has them open through the tree is all that is known.
    /// - Precondition: the directories are locked.
    /// - Throws: EWOULDBLOCK where somebody has one open.
    func whileUnused<R>(
        _ files: [(Int32, UnsafePointer<CChar>)], _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        var opened: [Int32] = []
        defer { for file in opened { _ = lx_close(file) } }
        for (directory, name) in files {
            let file = try inodes.openContents(directory, name, flags: 0)
            opened.append(file)
            let identity = Identity(try stat(of: file))
            if tables.withLock({ $0.isOpen(identity) }) { throw .wouldBlock }
        }
        return try inodes.leases.holding(lx_take_write_lease, of: opened, body)
    }
}

internal import CLinux
internal import Glibc
public import Posix
internal import SandboxRules
public import SystemPackage

/// The result of reading a file or database. Its bytes are handed on while it is read, so only the result
/// says whether they may be kept.
public enum ItemRead: Sendable, Equatable {
    /// The file as it was at one moment. `isComparable`: if the file has an equal stamp later, its content is
    /// still the same.
    case whole(ItemStamp, isComparable: Bool)
    /// It was written to during each attempt: the last bytes may be of two moments.
    case changing(ItemStamp)
    /// Removed or flagged meanwhile, so that it does not belong into the backup any more.
    case gone
    case unreadable
}

extension DomainTree {
    private static let attempts = 3
    private static let pieceBytes = 1 << 20

    /// Reads a file as it was at one moment, when nobody has changed it for a second; again where it is
    /// written meanwhile.
    ///
    /// - Parameters:
    ///   - begin: told before each try: what came so far is nothing.
    ///   - body: gets the bytes in order.
    public func read(
        _ item: BackupItem, begin: () throws -> Void, _ body: ([UInt8]) throws -> Void
    ) throws -> ItemRead {
        var last: ItemStamp?
        do {
            for _ in 0..<Self.attempts {
                let file = try open(item)
                let before = try waitUntilUnchanged(file.raw)
                guard try belongs(file.raw, "") else { return .gone }
                try begin()
                let count = try pour(file, body)
                let after = try ItemStamp(of: file.raw)
                guard try belongs(file.raw, "") else { return .gone }
                if after == before, count == before.sizeBytes {
                    return .whole(before, isComparable: age(before) >= SkipBackup.graceNanoseconds)
                }
                last = after
            }
        } catch let error as Errno {
            if error == .noSuchFileOrDirectory { return .gone }
            guard error.isUnreadableItem else { throw error }
            return .unreadable
        }
        return last.map { .changing($0) } ?? .gone
    }

    /// Reads a database and its log as one consistent file.
    ///
    /// - Parameter scratch: a directory for a copy without a name.
    /// - Returns: nil where its app has it locked: its files are to be read as they are.
    public func readDatabase(
        _ item: BackupItem, scratch: borrowing Descriptor, _ body: ([UInt8]) throws -> Void
    ) throws -> ItemRead? {
        let hasParts = try DatabaseFiles.hasParts(item.name, in: item.directory)
        // By a name of its own: optimised code would close a nameless one before it is looked at.
        let file = try open(item)
        _ = try waitUntilUnchanged(file.raw)
        let whole = try ScratchFile(in: scratch.raw)
        guard try copyDatabase(item, to: whole.raw) else { return nil }
        guard try belongs(item.directory, item.name) else { return .gone }
        try valueOrErrno(lx_lseek(whole.raw, 0, 0))
        var size: UInt64 = 0
        while case let piece = try whole.readPiece(Self.pieceBytes), !piece.isEmpty {
            size += UInt64(piece.count)
            try body(piece)
        }
        // The copy may hold what only the log had, so that the file's own times tell nothing of it.
        return .whole(item.stamp, isComparable: !hasParts && size == item.stamp.sizeBytes)
    }

    /// Writes a consistent copy of a database to the start of the empty file `target`.
    /// - Returns: false where that cannot be had now (its app has it locked).
    public func copyDatabase(_ item: BackupItem, to target: Int32) throws -> Bool {
        if try copyAlone(item, to: target) { return true }
        return try copiesDatabase?(item.path, target) ?? false
    }

    /// Copies a database that has no log and no journal as what it is, a file: SQLite would put an empty log
    /// beside one that is used with a log.
    /// - Returns: false where more than the file is of it, or it is written meanwhile.
    private func copyAlone(_ item: BackupItem, to target: Int32) throws -> Bool {
        for _ in 0..<Self.attempts {
            guard try isAlone(item) else { return false }
            let file = try open(item)
            let before = try waitUntilUnchanged(file.raw)
            try valueOrErrno(lx_ftruncate(target, 0))
            try FileCopy.contents(of: file.raw, to: target)
            if try isAlone(item), try ItemStamp(item.directory, item.name) == before { return true }
        }
        return false
    }

    /// Whether nothing but the file itself tells what a database holds.
    public func isAlone(_ item: BackupItem) throws(Errno) -> Bool {
        try !DatabaseFiles.hasParts(item.name, in: item.directory)
    }

    /// What lies beside a database and is part of it, as files.
    public func parts(of item: BackupItem) throws -> [BackupItem] {
        try DatabaseCompanion.suffixes.compactMap { suffix in
            guard let stamp = try ItemStamp.ifPresent(item.directory, item.name + suffix) else { return nil }
            return BackupItem(
                path: item.path + suffix, kind: .file, stamp: stamp, attributes: [],
                directory: item.directory, name: item.name + suffix)
        }
    }

    /// Whether an item is not flagged by now, where flagged ones stay out.
    private func belongs(_ directory: Int32, _ name: String) throws(Errno) -> Bool {
        if rule.takesFlagged { return true }
        return try !AttributeList.read(directory, name).isSkipped
    }

    private func pour(_ file: borrowing Descriptor, _ body: ([UInt8]) throws -> Void) throws -> UInt64 {
        var count: UInt64 = 0
        while case let piece = try file.readPiece(Self.pieceBytes), !piece.isEmpty {
            count += UInt64(piece.count)
            try body(piece)
        }
        return count
    }

    /// Waits until a second has passed since the file's last change, once: a clock may have been set back.
    private func waitUntilUnchanged(_ file: Int32) throws(Errno) -> ItemStamp {
        let stamp = try ItemStamp(of: file)
        let left = SkipBackup.graceNanoseconds - age(stamp)
        guard left > 0 else { return stamp }
        usleep(UInt32(clamping: min(left, SkipBackup.graceNanoseconds) / 1000 + 1))
        return try ItemStamp(of: file)
    }

    private func age(_ stamp: ItemStamp) -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let present = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
        return present &- max(stamp.changed, stamp.modified)
    }
}

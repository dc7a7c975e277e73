public import CLinux
public import Posix
public import SandboxRules
public import SystemPackage

/// What a look-up or a creation found; it holds one reference to the inode, which `forget` gives back.
public struct Found {
    public let inode: InodeNumber
    public let generation: UInt64
    public let status: stat
    /// Whether the kernel may believe `status` until it is told otherwise: at the next writer.
    public let mayBelieveStatus: Bool
    /// Whether the item is stored under the name that was asked for. Changes are told by the stored name:
    /// what a kernel remembered of another spelling would go stale.
    public let isStoredName: Bool
}

extension HomeTree {
    /// Finds `name` in `directory`, in whichever spelling. What only case finds or fails is an event.
    /// - Throws: ENOENT, EILSEQ, ENAMETOOLONG, ESTALE, or what fstatat(2) answers.
    public func lookup(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Found {
        try check(name)
        let result = try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) -> Found? in
            try find(name, in: directory, descriptor, isAskedByProgram: true)
        }
        if let result { return result }
        outlet.missed(name, in: directory, of: self)
        throw .noSuchFileOrDirectory
    }

    /// As `lookup`, for a look that no program asked for: it is never an event. Holds a reference; nil where
    /// nothing has the name.
    public func peek(
        _ name: FileName, in directory: InodeNumber, _ matching: NameMatching = .asShown
    ) throws(Errno) -> Found? {
        try check(name)
        return try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
            try find(name, in: directory, descriptor, matching)
        }
    }

    /// The container's Documents, with a reference that `forget` gives back.
    /// - Throws: ENOENT, ENOTDIR, and as `lookup`.
    public func documents() throws(Errno) -> InodeNumber {
        let found = try "Documents".withFileName { (name) throws(Errno) in try lookup(name, in: home) }
        if found.status.isDirectory { return found.inode }
        forget(found.inode)
        throw .notDirectory
    }

    /// As `lookup`, with the lock held; nil where nothing has the name.
    func find(
        _ name: FileName, in directory: InodeNumber, _ descriptor: Int32,
        _ matching: NameMatching = .asShown, isAskedByProgram: Bool = false
    ) throws(Errno) -> Found? {
        var status = stat()
        let hasOthers = hasOtherSpellings(name, matching)
        if matching == .asShown || !hasOthers {
            let result = lx_fstatat(descriptor, name.cString, &status, lx_at_symlink_nofollow)
            if result == 0 { return remember(status, name: name, in: directory) }
            let isAbsent = result == -Errno.noSuchFileOrDirectory.rawValue
            guard isAbsent else { throw Errno(rawValue: -result) }
            if !hasOthers { return nil }
        }
        return try withStored(name, in: directory, descriptor, matching) {
            (stored) throws(Errno) -> Found? in
            guard lx_fstatat(descriptor, stored.cString, &status, lx_at_symlink_nofollow) == 0 else {
                return nil
            }
            if isAskedByProgram { noteCase(of: name, standingFor: stored, in: directory) }
            return remember(status, name: stored, in: directory, isStoredName: false)
        }
    }

    /// Makes `status` known as what `name` is. The directory's lock is held.
    /// - Parameters:
    ///   - isBelieved: false where the caller decides what the kernel may believe.
    ///   - isStoredName: false where it was asked for by another spelling.
    func remember(
        _ status: stat, name: FileName, in directory: InodeNumber, isBelieved: Bool = true,
        isStoredName: Bool = true
    ) -> Found {
        tables.withLock { tables in
            let number = tables.remember(status, name: name, in: directory)
            return Found(
                inode: number, generation: tables.generation(of: number), status: status,
                mayBelieveStatus: isBelieved && tables.mayBelieve(number), isStoredName: isStoredName)
        }
    }
}

// MARK: Names that differ by case

extension HomeTree {
    /// A program asked for `name`, and an item that is stored as `stored` may be what it meant: an event
    /// where only case tells the two apart.
    /// - Returns: whether it does.
    @discardableResult
    public func noteCase(
        of name: FileName, standingFor stored: FileName, in directory: InodeNumber
    ) -> Bool {
        guard policy != .legacy, NamePolicy.differOnlyByCase(name.bytes, stored.bytes) else { return false }
        let (asked, stored) = (name.text, stored.text)
        outlet.record(
            policy == .simulator
                ? .caseSaved(asked: asked, stored: stored) : .caseNearMiss(asked: asked, stored: stored),
            at: directory, of: self)
        return true
    }
}

// MARK: Names and their spellings

extension NamePolicy {
    /// Refuses names that no directory under this policy holds.
    /// - Throws: EILSEQ for invalid UTF-8, ENAMETOOLONG for over 255 UTF-16 units (SPEC 3 Names).
    public func check(_ name: FileName) throws(Errno) {
        switch problem(with: name.bytes) {
        case nil: return
        case .notUTF8: throw .illegalByteSequence
        case .tooLong: throw .fileNameTooLong
        }
    }
}

extension HomeTree {
    /// Refuses names that a home cannot hold.
    /// - Throws: EINVAL for what is not one name, and as `NamePolicy.check`.
    public func check(_ name: FileName) throws(Errno) {
        // The kernel sends none of these; other callers have names from stores, backups and clients.
        if name.count == 0 || name.isDotOrDotDot || name.bytes.contains(UInt8(ascii: "/")) {
            throw .invalidArgument
        }
        try policy.check(name)
    }

    /// Runs `body` with the bytes under which the directory holds `name`, or with `name` where it holds none.
    ///
    /// - Precondition: the directory's lock is held.
    func withStored<R>(
        _ name: FileName, in directory: InodeNumber, _ descriptor: Int32,
        _ matching: NameMatching = .asShown, _ body: (FileName) throws(Errno) -> R
    ) throws(Errno) -> R {
        guard hasOtherSpellings(name, matching),
            let stored = try storedSpelling(of: name, in: directory, descriptor, matching),
            !stored.elementsEqual(name.bytes)
        else { return try body(name) }
        return try withTerminated(stored, body)
    }

    /// The bytes under which the directory holds an item that `name` means; nil where it holds none.
    /// - Precondition: the directory's lock is held, and the name has other spellings.
    func storedSpelling(
        of name: FileName, in directory: InodeNumber, _ descriptor: Int32,
        _ matching: NameMatching = .asShown
    ) throws(Errno) -> [UInt8]? {
        // The fast answer first: most names are asked for as they are stored.
        var status = stat()
        if matching == .asShown,
            lx_fstatat(descriptor, name.cString, &status, lx_at_symlink_nofollow) == 0
        {
            return Array(name.bytes)
        }
        let policy = policy(for: matching)
        let known = tables.withLock { tables in
            tables.spellings[directory]?[policy].map { $0.stored(for: name, policy: policy) }
        }
        if let known { return known }
        let index: SpellingIndex
        do throws(Errno) { index = try SpellingIndex(of: descriptor, policy: policy) } catch {
            // A directory without read permission, to a daemon that is an ordinary user: names there are
            // used as they are, as its owner natively may.
            if error == .permissionDenied { return nil }
            throw error
        }
        tables.withLock { $0.spellings[directory, default: SpellingIndexes()][policy] = index }
        return index.stored(for: name, policy: policy)
    }

    /// Keeps the directory's index true after a name came. The directory's lock is held.
    func noteAdded(_ name: FileName, in directory: InodeNumber) {
        if !isIndexed(name) { return }
        tables.withLock { $0.spellings[directory]?.add(name) }
    }

    /// Keeps the directory's index true after a name went. The directory's lock is held.
    func noteRemoved(_ name: FileName, in directory: InodeNumber) {
        if !isIndexed(name) { return }
        tables.withLock { $0.spellings[directory]?.remove(name) }
    }

    /// Whether an index could hold the name, which spares a lock where none could.
    private func isIndexed(_ name: FileName) -> Bool {
        hasOtherSpellings(name, .asShown) || hasOtherSpellings(name, .asSynced)
    }

    private func withTerminated<R>(
        _ bytes: [UInt8], _ body: (FileName) throws(Errno) -> R
    ) throws(Errno) -> R {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) {
            buffer throws(Errno) -> R in
            for (index, byte) in bytes.enumerated() { buffer[index] = CChar(bitPattern: byte) }
            buffer[bytes.count] = 0
            guard let start = buffer.baseAddress else { throw .noMemory }
            return try body(FileName(start, count: bytes.count))
        }
    }
}

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

/// What a look-up finds out.
public enum LookedUp {
    case found(Found)
    /// Nothing has the name. A kernel may remember that for as long as nothing gets the name; but not where
    /// each look-up is an event.
    case absent(mayBeRemembered: Bool)
}

extension HomeTree {
    /// Finds `name` in `directory`, in whichever spelling. What only case finds or fails is an event.
    /// - Throws: EILSEQ, ENAMETOOLONG, ESTALE, or what fstatat(2) answers but ENOENT.
    public func lookup(
        _ name: FileName, in directory: InodeNumber, by asker: Asker
    ) throws(Errno) -> LookedUp {
        var other: String?
        let found = try withShortName(of: name) { (short) throws(Errno) in
            try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) -> Found? in
                LongNames.mend(name, as: short, in: descriptor)
                return try find(short, in: directory, descriptor) { stored in
                    if tellsApartByCase(name, stored) { other = stored.text }
                }
            }
        }
        guard let found else {
            return .absent(mayBeRemembered: outlet.missed(name, in: directory, by: asker, of: self))
        }
        if let other { noteCase(of: name.text, standingFor: other, in: directory, by: asker) }
        return .found(found)
    }

    /// As that, for the daemon itself: never an event.
    /// - Throws: ENOENT too.
    public func lookup(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Found {
        guard let found = try peek(name, in: directory) else { throw .noSuchFileOrDirectory }
        return found
    }

    /// As `lookup`, for a look that no program asked for: it is never an event. Holds a reference; nil where
    /// nothing has the name.
    public func peek(
        _ name: FileName, in directory: InodeNumber, _ matching: NameMatching = .asShown
    ) throws(Errno) -> Found? {
        try withShortName(of: name) { (name) throws(Errno) in
            try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
                try find(name, in: directory, descriptor, matching)
            }
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

    /// As `lookup`, with the lock held, and without an event; nil where nothing has the name.
    /// - Parameter isStored: is told of another spelling under which it was found.
    func find(
        _ name: FileName, in directory: InodeNumber, _ descriptor: Int32,
        _ matching: NameMatching = .asShown, isStored: (FileName) -> Void = { _ in }
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
            isStored(stored)
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
    /// `name` was asked for, and an item that is stored as `stored` may be what was meant: an event where
    /// only case tells the two apart.
    /// - Returns: whether it does.
    @discardableResult
    public func noteCase(
        of name: FileName, standingFor stored: FileName, in directory: InodeNumber, by asker: Asker
    ) -> Bool {
        guard tellsApartByCase(name, stored) else { return false }
        noteCase(of: name.text, standingFor: stored.text, in: directory, by: asker)
        return true
    }

    private func noteCase(
        of name: String, standingFor stored: String, in directory: InodeNumber, by asker: Asker
    ) {
        outlet.record(
            policy == .simulator
                ? .caseSaved(asked: name, stored: stored) : .caseNearMiss(asked: name, stored: stored),
            at: directory, by: asker, of: self)
    }

    private func tellsApartByCase(_ name: FileName, _ stored: FileName) -> Bool {
        policy != .legacy && NamePolicy.differOnlyByCase(name.bytes, stored.bytes)
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

    /// Keeps what is known of the directory's names true after a name came. The directory's lock is held.
    func noteAdded(_ name: FileName, in directory: InodeNumber) {
        outlet.appeared(name, in: directory, of: self)
        let isIndexed = isIndexed(name)
        let mark = mark(of: name)
        if !isIndexed && mark == nil { return }
        let absent = tables.withLock { tables -> [[CChar]] in
            if isIndexed { tables.spellings[directory]?.add(name) }
            guard let mark else { return [] }
            return tables.nameSets.insert(mark, in: directory)
        }
        for name in absent { name.withFileName { caches.tellName($0.bytes, in: directory) } }
    }

    /// Keeps what is known of the directory's names true after a name went. The directory's lock is held.
    func noteRemoved(_ name: FileName, in directory: InodeNumber) {
        let isIndexed = isIndexed(name)
        let mark = mark(of: name)
        if !isIndexed && mark == nil { return }
        tables.withLock {
            if isIndexed { $0.spellings[directory]?.remove(name) }
            if let mark { $0.nameSets.remove(mark, in: directory) }
        }
    }

    /// Has kernels forget that nothing has a name.
    func tell(_ absent: AbsentName) {
        absent.name.withFileName { caches.tellName($0.bytes, in: absent.directory) }
    }

    /// All is known of what was just made: nobody has flagged it, and a directory is empty. The lock of the
    /// directory that it is in is held.
    func noteNew(_ number: InodeNumber, isDirectory: Bool) {
        let isEmptySet = isDirectory && outlet.examinesMisses(under: policy)
        tables.withLock { tables in
            tables.noteNew(number)
            if isEmptySet { tables.nameSets.begin(number) }
        }
    }

    /// nil where no set could hold the name.
    private func mark(of name: FileName) -> NameMark? {
        outlet.examinesMisses(under: policy) ? NameMark(name) : nil
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

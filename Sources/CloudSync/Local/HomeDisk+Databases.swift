internal import Databases
internal import HomeTree
internal import Posix
internal import SandboxRules
internal import SyncContent
internal import SyncLog
internal import SystemPackage

/// A SQLite database is one unit with the files beside it: what is committed to its log is a change of the
/// database, and the log itself does not travel.
extension HomeDisk {
    /// Takes the database's own log and journal into its fingerprint, where they hold anything. The shared
    /// memory beside them says nothing of contents.
    /// - Returns: whether they do.
    @discardableResult
    func addCompanions(
        of name: String, _ inode: InodeNumber, in parent: InodeNumber, to fingerprint: inout Fingerprint
    ) throws(LocalError) -> Bool {
        var holdAnything = false
        for suffix in DatabaseCompanion.suffixes where suffix != "-shm" {
            guard let companion = try stamp(name + suffix, in: parent), companion.isRegular,
                companion.sizeBytes > 0
            else { continue }
            guard try isDatabase(inode) else { return false }
            holdAnything = true
            fingerprint.sizeBytes &+= companion.sizeBytes
            fingerprint.modified = max(fingerprint.modified, companion.modified)
            // Not its time of change: SQLite gives it to its owner whenever root opens it, for a copy too.
            fingerprint.changed = max(fingerprint.changed, companion.modified)
        }
        return holdAnything
    }

    /// Whether a name is that of a file that belongs to a database beside it.
    func isCompanion(_ name: String, in parent: InodeNumber) throws(LocalError) -> Bool {
        guard let database = DatabaseCompanion.databaseName(of: name),
            let found = try withName(database, { (name) throws(Errno) in try tree.peek(name, in: parent) })
        else { return false }
        defer { tree.forget(found.inode) }
        guard found.status.isRegular else { return false }
        return try isDatabase(found.inode)
    }

    /// The paths that a change of one path concerns: of a database's companion, the database too.
    func unit(of path: LocalPath) -> [LocalPath] {
        guard let name = path.name, let database = DatabaseCompanion.databaseName(of: name) else {
            return [path]
        }
        return [path, path.parent.appending(database)]
    }

    /// By its first bytes.
    func isDatabase(_ inode: InodeNumber) throws(LocalError) -> Bool {
        try withHandle(inode) { (handle) throws(LocalError) in try isDatabase(handle) }
    }

    func isDatabase(_ handle: FileHandle) throws(LocalError) -> Bool {
        try LocalError.from { () throws(Errno) in
            DatabaseFile.isDatabase(
                header: try FileTree.read(handle.descriptor, offset: 0, count: DatabaseFile.headerBytes))
        }
    }

    func stamp(_ name: String, in parent: InodeNumber) throws(LocalError) -> ItemStamp? {
        let peeked: Found?
        do throws(LocalError) {
            peeked = try withName(name) { (name) throws(Errno) in try tree.peek(name, in: parent) }
        } catch {
            // A document whose own name is nearly the longest there is has nothing beside it.
            if error == LocalError(.fileNameTooLong) { return nil }
            throw error
        }
        guard let found = peeked else { return nil }
        defer { tree.forget(found.inode) }
        return try LocalError.from { () throws(Errno) in try tree.stamp(of: found.inode) }
    }
}

/// Reading a database that its app has open, or left with a log.
extension HomeDisk {
    /// Whether a file is one that only SQLite can read as a whole: `fingerprint` is then that of the unit.
    func needsSQLite(
        _ path: LocalPath, _ inode: InodeNumber, _ handle: FileHandle, in parent: InodeNumber,
        hasWriter: Bool, _ fingerprint: inout Fingerprint
    ) throws(LocalError) -> Bool {
        guard try isDatabase(handle), let name = path.name else { return false }
        let hasLog = try addCompanions(of: name, inode, in: parent, to: &fingerprint)
        return hasLog || hasWriter
    }

    /// Copies it, at most every 30 s, and reads the copy. A database that is written without pause is never
    /// as it was planned: what counts is what it is now.
    /// - Parameter expecting: the unit's, of just now.
    /// - Throws: `.inUse` also while it is still copied.
    func readDatabase(
        _ path: LocalPath, _ inode: InodeNumber, in parent: InodeNumber, expecting: Fingerprint,
        _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint {
        let copy = try copied(path, expecting)
        var answer = copy.fingerprint
        // What was committed while it was copied may be in the copy or not.
        if try unitFingerprint(path, inode, in: parent) != answer { answer.changed = 0 }
        state.withLock { state in
            state.writers.copied(path, answer, at: copy.began)
            state.copies.add(DatabaseCopies.Copy(fingerprint: answer, file: copy.file), of: path)
        }
        try readAll(copy.file.raw, 0..<UInt64.max, body)
        return answer
    }

    private func copied(_ path: LocalPath, _ expecting: Fingerprint) throws(LocalError) -> DatabaseWork.Copy {
        guard let databases else { throw .inUse }
        switch databases.find(.copy, of: path) {
        case .isUnderWay: throw .inUse
        case .ended(let outcome, let copy?) where copy.fingerprint.isSameInode(as: expecting):
            return try made(copy, outcome)
        // Another file has the name by now.
        case .ended, .nothing: break
        }
        let now = clock.now()
        let mayBeCopied = state.withLock { state in
            state.writers.found(path, expecting, isDatabase: true, at: now)
            return state.writers.mayBeRead(path, expecting, at: now)
        }
        guard mayBeCopied else { throw .inUse }
        let file = try LocalError.from { () throws(Errno) in SharedDescriptor(try tree.temporaryFile()) }
        let copy = DatabaseWork.Copy(fingerprint: expecting, file: file, began: now)
        guard let outcome = databases.begin(path, copy) else { throw .inUse }
        return try made(copy, outcome)
    }

    private func made(
        _ copy: DatabaseWork.Copy, _ outcome: DatabaseOutcome
    ) throws(LocalError) -> DatabaseWork.Copy {
        if outcome == .busy {
            state.withLock { $0.writers.wasBusy(from: copy.began, until: clock.now()) }
        }
        try Self.check(outcome)
        return copy
    }

    /// - Parameter outcome: nil: not yet known.
    private static func check(_ outcome: DatabaseOutcome?) throws(LocalError) {
        switch outcome {
        case .done: return
        case .busy, nil: throw .inUse
        case .full: throw .full
        case .unreadable, .failed: throw LocalError(.ioError)
        }
    }

    package func hasCopy(of path: LocalPath, _ fingerprint: Fingerprint) -> Bool {
        state.withLock { $0.copies.copy(of: path, fingerprint) } != nil
    }

    package func isOverdue(_ path: LocalPath) -> Bool {
        let now = clock.now()
        return state.withLock { $0.writers.isOverdue(path, at: now) }
    }

    private func unitFingerprint(
        _ path: LocalPath, _ inode: InodeNumber, in parent: InodeNumber
    ) throws(LocalError) -> Fingerprint {
        var fingerprint = try LocalError.from { () throws(Errno) in Fingerprint(try tree.stamp(of: inode)) }
        if let name = path.name { try addCompanions(of: name, inode, in: parent, to: &fingerprint) }
        return fingerprint
    }
}

/// Putting something in the place of a database, and taking one away.
extension HomeDisk {
    /// Makes a database ready to be replaced, moved or removed: nobody has it open, its log is checkpointed,
    /// and nothing is left beside it that SQLite would take for part of what comes in its place.
    /// - Parameter isDatabaseComing: what lies beside the name is as bad for a database that is new there.
    /// - Returns: what has to hold still when it is done; nil where no database is concerned.
    /// - Throws: `.inUse` while somebody has it open; `.changed` after its log was checkpointed.
    func prepareDatabase(
        _ path: LocalPath, _ name: String, in parent: InodeNumber, isDatabaseComing: Bool = false
    ) throws(LocalError) -> UnusedFile? {
        guard rules.hold(.staleLogsAreRemoved) else { return nil }
        let companions = DatabaseCompanion.suffixes.map { name + $0 }
        let found = try withName(name) { (name) throws(Errno) in
            try tree.peek(name, in: parent, .asSynced)
        }
        defer { if let found { tree.forget(found.inode) } }
        let isDatabase = try found.map { (found) throws(LocalError) in
            found.status.isRegular ? try self.isDatabase(found.inode) : false
        }
        guard isDatabase ?? false || isDatabaseComing else { return nil }
        var present: [ItemStamp] = []
        for companion in companions {
            if let stamp = try stamp(companion, in: parent) { present.append(stamp) }
        }
        let isUsed = found.map { tree.isInUse($0.inode) } ?? false
        if isUsed { try waitForUser(of: path, found?.inode) }
        if !present.isEmpty {
            let hasLog = present.contains { $0.sizeBytes > 0 }
            if hasLog && isDatabase ?? false { try checkpoint(path) }
            try removeCompanions(companions, of: found == nil ? nil : name, in: parent)
            // Its bytes are others now, though its contents are not.
            if hasLog && isDatabase ?? false { throw .changed }
        }
        return UnusedFile(in: parent, companions: companions)
    }

    private func waitForUser(of path: LocalPath, _ inode: InodeNumber?) throws(LocalError) {
        if let inode {
            let fingerprint = try LocalError.from { () throws(Errno) in Fingerprint(try tree.stamp(of: inode))
            }
            let now = clock.now()
            state.withLock { $0.writers.found(path, fingerprint, isDatabase: true, at: now) }
        }
        throw .inUse
    }

    private func checkpoint(_ path: LocalPath) throws(LocalError) {
        guard let databases else { throw .inUse }
        switch databases.find(.checkpoint, of: path) {
        case .isUnderWay: throw .inUse
        case .ended(let outcome, _) where outcome != .done: try Self.check(outcome)
        // What was checkpointed then has a log again.
        case .ended, .nothing: try Self.check(databases.begin(path, nil))
        }
    }

    private func removeCompanions(
        _ companions: [String], of name: String?, in parent: InodeNumber
    ) throws(LocalError) {
        let isDone = try LocalError.from { () throws(Errno) in
            guard let name else { return try tree.removeCompanions(companions, of: nil, in: parent) }
            return try name.withFileName { (name) throws(Errno) in
                try tree.removeCompanions(companions, of: name, in: parent)
            }
        }
        if !isDone { throw .inUse }
        try syncDirectory(parent)
    }
}

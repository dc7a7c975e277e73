package import SyncContent
package import SyncLog

/// One app's Documents, as sync sees and changes them. The product's is made over `HomeTree`, the
/// simulation's lives in memory and loses what was not fsynced.
///
/// A path that `isParked` leads past Documents to where no view shows anything.
///
/// Calls wait for the disk, never for the network. Notices are only hints of where to look: what counts is
/// what lies there now against what was last synced.
package protocol LocalDisk: AnyObject, Sendable {
    /// Where something may have changed since the last call; empties that set. The first answer is
    /// `everything`: what happened while nobody looked is not known.
    /// - Parameter limit: about so many paths; the rest stays for the next call, of which somebody is woken
    ///   again. What was written last comes first. What was renamed comes whole: half of it would look like
    ///   something gone.
    func takeChanges(limit: Int) -> LocalChanges
    /// Whether there is something to take of which somebody was woken.
    var hasChanges: Bool { get }
    /// When to call `takeChanges` and `takeDisplaced` again though nobody was woken, by `SyncClock.now`:
    /// files that somebody may be writing tell nothing by themselves. Nil where no such file waits.
    var wakeAt: UInt64? { get }
    /// What is at a path now; nil where nothing is.
    func look(at path: LocalPath) throws(LocalError) -> LocalItem?
    /// Which of these inodes, gone from Documents, lie elsewhere in the home: they were moved out and not
    /// deleted. It looks at all the rest of the home, so it is asked only where something may lie there.
    func departed(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint>
    /// What a directory holds now, in no order.
    /// - Parameter expected: which one the path has to lead to, by its inode (nil: whichever it does).
    /// - Throws: `.changed` where it is another one.
    func list(_ directory: LocalPath, being expected: Fingerprint?) throws(LocalError) -> [LocalItem]
    /// As `list`, but for what `isKnown` by its name and inode, and no more than `room` items that are not
    /// excluded: a directory may have more than is to be in memory.
    func list(
        _ directory: LocalPath, being expected: Fingerprint?, room: Int,
        besides isKnown: (UnsafeRawBufferPointer, UInt64) -> Bool
    ) throws(LocalError) -> LocalListing
    /// Begins to make files durable that are about to be read, many at once. Only a help: `read` does it.
    func prepareToRead(_ paths: [LocalPath])
    /// Reads a file from first byte to last, handing them on in runs of at most 4 MiB, and answers the
    /// fingerprint that held before and after. What was handed on is durable here. A database is read from a
    /// consistent copy.
    /// - Throws: `.inUse` while somebody may write to it, `.changed` where it is no longer what was
    ///   expected, or changed meanwhile: what was handed on is then worth nothing.
    func read(
        _ path: LocalPath, expecting fingerprint: Fingerprint, _ body: ([UInt8]) throws(LocalError) -> Void
    ) throws(LocalError) -> Fingerprint
    /// A part of a file, read again after `read` said what the whole is: for sending it piece by piece. Of a
    /// database, of the copy that `read` handed on.
    /// - Throws: as `read`.
    func read(_ path: LocalPath, _ range: Range<UInt64>, expecting fingerprint: Fingerprint)
        throws(LocalError) -> [UInt8]
    /// Whether `read` handed on a copy of that fingerprint, which stays as it is whatever becomes of the
    /// file.
    func hasCopy(of path: LocalPath, _ fingerprint: Fingerprint) -> Bool
    /// Whether a file is to be read now though it changed just before: a database that is written without
    /// pause has no second without a change.
    func isOverdue(_ path: LocalPath) -> Bool
    /// Begins a file aside, where no view shows it. `name` is new, of hex digits: under it a displaced file
    /// is told later, after a kill too, so it is made durable before `place`.
    func stage(as name: String) throws(LocalError) -> any StagedFile
    /// Makes staged files durable with the attributes that they are to have, many at once. Only a help: what
    /// it does not manage, `place` does, one after the other.
    func complete(_ staged: [(file: any StagedFile, attributes: Attributes)])
    /// Makes durable which names these directories hold. To be called between a change of them, by the calls
    /// below, and the note that it was made. One that is gone needs nothing.
    func makeDurable(_ directories: Set<LocalPath>) throws(LocalError)
    /// Puts a staged file in place, fsynced, with its attributes. `displacing` is what must be there now
    /// (nil: nothing): what it displaces stays in staging, under the staged file's name, until nobody has it
    /// open, and is then told by `takeDisplaced`. `directory` is which one the path has to lead into, by its
    /// inode (nil: whichever it does).
    /// - Throws: `.changed` where something else is there, or the directory is another one.
    func place(
        _ staged: any StagedFile, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes,
        displacing: Fingerprint?
    ) throws(LocalError) -> Fingerprint
    /// Makes a symlink or a directory, in a directory as for `place`.
    /// - Throws: `.changed` where something is there, or the directory is another one.
    func make(
        _ content: SmallContent, at path: LocalPath, in directory: Fingerprint?, attributes: Attributes
    ) throws(LocalError) -> Fingerprint
    /// Of a directory only the inode is expected: its times change with what it holds. The destination lies
    /// in a directory as for `place`.
    /// - Throws: `.changed` where the source is not what is expected, or something is at the destination, or
    ///   its directory is another one.
    @discardableResult
    func move(
        _ path: LocalPath, to destination: LocalPath, in directory: Fingerprint?, expecting: Fingerprint
    ) throws(LocalError) -> Fingerprint
    /// Runs `body`, which moves an item, unless somebody reads the whole disk, who would miss it then.
    /// - Parameter parks: whether it goes where no view shows it.
    /// - Returns: nil where it has to wait; `wakeAt` says for how long.
    func moving<R>(parks: Bool, _ body: () throws(LocalError) -> R) throws(LocalError) -> R?
    /// Removes a file, a symlink or an empty directory. A file goes to staging under `name`, and is told as
    /// in `place`.
    /// - Throws: `.changed` where it is not what is expected, or not empty.
    func remove(_ path: LocalPath, expecting: Fingerprint, displacedAs name: String) throws(LocalError)
    /// - Throws: `.inUse` where somebody may be writing: his times would be lost.
    func setAttributes(_ path: LocalPath, _ attributes: Attributes, expecting: Fingerprint) throws(LocalError)
        -> Fingerprint
    /// Sets the skip-backup flag, so that an item which left the cloud stays on this device alone.
    func setFlag(at path: LocalPath) throws(LocalError)
    /// Files in staging that nobody can write to any more: to be compared with what was synced, then dropped.
    /// After a kill also half-written ones: a name that is not known as displaced, or known with another
    /// inode, is to be dropped. Each is told until it is dropped.
    func takeDisplaced() throws(LocalError) -> [Displaced]
    /// What has that name in staging, though it may still be written to; nil where nothing has.
    func look(atDisplaced name: String) throws(LocalError) -> Fingerprint?
    /// Reads a displaced file, as `read`.
    func readDisplaced(_ displaced: Displaced, _ body: ([UInt8]) throws(LocalError) -> Void)
        throws(LocalError)
    /// Whether a displaced file's bytes have no place in the cloud: it is flagged, with or without a name, or
    /// it has other names in Documents, and each is excluded. May look at all of Documents where it has other
    /// names.
    /// - Throws: where that is not known now: then nothing of it may be sent.
    func isKeptBack(_ displaced: Displaced) throws(LocalError) -> Bool
    /// Leaves a staged file in staging, durable, as if it had been displaced.
    func keepDisplaced(_ staged: any StagedFile, _ attributes: Attributes) throws(LocalError) -> Fingerprint
    /// Forgets a displaced file, whose bytes are safe elsewhere.
    func dropDisplaced(_ displaced: Displaced) throws(LocalError)
    /// Brings what is parked back to where it was, or beside what lies there now. To be called before
    /// anybody sees what a kill left, and after a step that failed.
    /// - Returns: what was brought back, by this call or before it, until it is forgotten.
    func bringBackParked() throws(LocalError) -> [BroughtBack]
    /// Where it lies now is known.
    func forgetBroughtBack(_ item: BroughtBack) throws(LocalError)
}

extension LocalDisk {
    /// For disks that nobody else reads.
    package func moving<R>(parks: Bool, _ body: () throws(LocalError) -> R) throws(LocalError) -> R? {
        try body()
    }

    package func complete(_ staged: [(file: any StagedFile, attributes: Attributes)]) {}

    package func prepareToRead(_ paths: [LocalPath]) {}

    package func list(_ directory: LocalPath) throws(LocalError) -> [LocalItem] {
        try list(directory, being: nil)
    }

    /// By a look at all of it: for disks that hold little.
    package func list(
        _ directory: LocalPath, being expected: Fingerprint?, room: Int,
        besides isKnown: (UnsafeRawBufferPointer, UInt64) -> Bool
    ) throws(LocalError) -> LocalListing {
        var listing = LocalListing()
        for item in try list(directory, being: expected) {
            guard var name = item.path.name else { continue }
            if name.withUTF8({ isKnown(UnsafeRawBufferPointer($0), item.fingerprint.inode) }) { continue }
            guard listing.add(item, room) else { break }
        }
        return listing
    }

    /// By reading all of it: for disks of small files.
    package func read(
        _ path: LocalPath, _ range: Range<UInt64>, expecting fingerprint: Fingerprint
    ) throws(LocalError) -> [UInt8] {
        var window = ByteWindow(range)
        _ = try read(path, expecting: fingerprint) { run throws(LocalError) in window.append(run) }
        return try window.bytes()
    }

    /// For disks that read no databases.
    package func hasCopy(of path: LocalPath, _ fingerprint: Fingerprint) -> Bool { false }
    package func isOverdue(_ path: LocalPath) -> Bool { false }
}

/// What a directory holds.
package struct LocalListing: Sendable {
    package var items: [LocalItem] = []
    /// Nothing else is there.
    package var isAll = true
    private var count = 0

    package init(items: [LocalItem] = []) { self.items = items }

    /// - Returns: false where no item has room any more.
    mutating func add(_ item: LocalItem, _ room: Int) -> Bool {
        if item.exclusion == nil { count += 1 }
        isAll = count <= room
        if isAll { items.append(item) }
        return isAll
    }
}

/// A file that is being written aside. Dropping it unplaced removes it.
package protocol StagedFile: AnyObject, Sendable {
    var name: String { get }
    func append(_ bytes: [UInt8]) throws(LocalError)
    /// Sets the skip-backup flag, before it is put in place.
    func setFlag() throws(LocalError)
}

package enum SmallContent: Equatable, Sendable {
    case directory
    case symlink(target: [UInt8])
}

/// A path below Documents, by its names as they lie on the disk. Empty: Documents itself.
package struct LocalPath: Hashable, Sendable {
    package var names: [String]

    package init(_ names: [String] = []) {
        self.names = names
    }

    package func appending(_ name: String) -> LocalPath { LocalPath(names + [name]) }
    package var parent: LocalPath { LocalPath(names.dropLast()) }
    package var name: String? { names.last }

    /// It is, or lies in, what sync has put aside for the moment in which names form a circle: in no
    /// directory that a view shows, and under a first name that nobody else can give.
    package var isParked: Bool { names.first?.utf8.first == UInt8(ascii: "/") }

    /// Of what is parked itself: by which name, without its slash.
    package var parkedName: String? { isParked && names.count == 1 ? names[0].dropFirst().description : nil }

    /// The directories that it lies in, from the nearest up; not Documents itself.
    var directoriesAbove: some Sequence<LocalPath> {
        sequence(first: parent, next: \.parent).lazy.prefix { !$0.names.isEmpty }
    }
}

package struct LocalChanges: Equatable, Sendable {
    /// Everything has to be compared: after an unclean end, or when files changed unmounted. What is found
    /// gone then counts as inferred.
    package var everything: Bool
    /// Paths whose item appeared, went, or changed; of a directory its own entry, not what it holds. A
    /// directory that appeared is to be listed, whole.
    package var paths: Set<LocalPath>
    /// Directories to be compared with all below them: more changed there than was kept. What is found gone
    /// counts as inferred.
    package var whole: Set<LocalPath> = []
    /// Something was moved out of Documents to another place of the home.
    package var hasDepartures: Bool
    /// Renames within Documents that were seen, in order; both paths of each are among `paths`.
    package var renames: [LocalMove]
    /// Where something was seen to come from outside Documents, or by an exchange; also among `paths`.
    /// Nothing is told of what changed in a directory while it was elsewhere.
    package var arrivals: Set<LocalPath> = []
    /// Numbers of the inodes of which a name was seen to be removed: neither moved, nor moved over.
    package var removed: Set<UInt64>
    /// So many more, or about as many, wait for the next call.
    package var left = 0

    package init(
        everything: Bool = false, paths: Set<LocalPath> = [], hasDepartures: Bool = false,
        renames: [LocalMove] = [], removed: Set<UInt64> = []
    ) {
        self.everything = everything
        self.paths = paths
        self.hasDepartures = hasDepartures
        self.renames = renames
        self.removed = removed
    }

    package var isEmpty: Bool { !everything && paths.isEmpty && whole.isEmpty }
}

package struct LocalItem: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case file
        case directory
        case symlink(target: [UInt8])
    }

    package var path: LocalPath
    package var kind: Kind
    package var fingerprint: Fingerprint
    package var attributes: Attributes
    /// Why it has no place in the cloud; nil where it has. Said of the item by itself: what lies below an
    /// excluded directory is excluded by that.
    package var exclusion: Exclusion?
    /// Somebody has it open for writing, or may write to it through a mapping.
    package var isBeingWritten: Bool
    /// Its bytes are not here: a content operation must never come from it.
    package var isDataless: Bool

    package init(
        path: LocalPath, kind: Kind, fingerprint: Fingerprint, attributes: Attributes,
        exclusion: Exclusion? = nil, isBeingWritten: Bool = false, isDataless: Bool = false
    ) {
        self.path = path
        self.kind = kind
        self.fingerprint = fingerprint
        self.attributes = attributes
        self.exclusion = exclusion
        self.isBeingWritten = isBeingWritten
        self.isDataless = isDataless
    }
}

/// SPEC.md 7: what under Documents does not sync.
package enum Exclusion: Equatable, Sendable {
    case flagged
    /// `.Trash`, `*.nosync`, `*.tmp`, `.DS_Store`, `Inbox`, temporary files of programs.
    case name
    /// A database's `-wal`, `-shm`, `-journal`: they travel in the database.
    case databaseCompanion
    /// A socket, a fifo, a device.
    case kind
}

/// By what an item is known again, and a change of it noticed.
package struct Fingerprint: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    /// Nanoseconds since 1970, as are the two below; 0 where the file system has no birth times.
    package var birth: Int64
    package var sizeBytes: UInt64
    package var modified: Int64
    package var changed: Int64

    package init(
        device: UInt64, inode: UInt64, birth: Int64, sizeBytes: UInt64, modified: Int64, changed: Int64
    ) {
        self.device = device
        self.inode = inode
        self.birth = birth
        self.sizeBytes = sizeBytes
        self.modified = modified
        self.changed = changed
    }

    /// Whether it may be what `read` answered: that is without a time of change where the file stayed open.
    func isAsRead(_ answer: Fingerprint) -> Bool {
        var present = self
        if answer.changed == 0 { present.changed = 0 }
        return present == answer
    }

    /// The same inode, whatever was written to it. A number alone says nothing: it is given again at once.
    package func isSameInode(as other: Fingerprint) -> Bool {
        (device, inode, birth) == (other.device, other.inode, other.birth)
    }
}

/// A file that was displaced or removed by sync while it may have been open.
package struct Displaced: Hashable, Sendable {
    /// Its name in staging; kept in the synced tree before it is displaced.
    package var name: String
    package var fingerprint: Fingerprint

    package init(name: String, fingerprint: Fingerprint) {
        self.name = name
        self.fingerprint = fingerprint
    }
}

/// What was parked and lies in Documents again.
package struct BroughtBack: Hashable, Sendable {
    /// As it was parked: see `LocalPath.parkedName`.
    package var name: String
    package var path: LocalPath

    package init(name: String, path: LocalPath) {
        self.name = name
        self.path = path
    }
}

internal import CLinux
internal import Posix
internal import SandboxRules

/// What a home tree knows of its inodes: their identity, their parent and name, and their open files.
///
/// It owns the records: every change of one is a transition of this value, here or in the files beside
/// (`InodeTable+…`), and nothing outside this folder touches a record. `checkInvariants` says what holds
/// between two of them. Guarded by one lock (`HomeTree.tables`), never held across a system call.
struct InodeTable: ~Copyable {
    var slab = InodeSlab()
    var byIdentity = InodeIndex()
    var byName = InodeIndex()
    var cache = DescriptorCache()
    var handles = HandleTable()
    /// Descriptors of closed handles that a call may still be using; they go with their inode's last pin.
    var retired: [InodeNumber: [Int32]] = [:]
    /// For directories whose names were asked for in another spelling.
    var spellings: [InodeNumber: SpellingIndexes] = [:]
    /// For directories whose names were missed.
    var nameSets = NameSets()
    /// What roots count as for the rules.
    var rootPlaces: [InodeNumber: Place] = [:]
    private(set) var bundle: BundleRoot?
    /// The root of what no view shows.
    private(set) var staging: InodeNumber?
    /// Counts what may have set a skip-backup flag.
    private(set) var flagChanges = 0
    /// nil: nobody wants to know what changes.
    var feed: ChangeFeed?
    /// Every file begins as possibly written.
    private let startsPossiblyWritten: Bool

    init(startsPossiblyWritten: Bool) { self.startsPossiblyWritten = startsPossiblyWritten }

    deinit {
        for number in live {
            let inode = slab[number]
            if inode.pointee.descriptor >= 0 { _ = lx_close(inode.pointee.descriptor) }
            inode.clearName()
        }
        slab.deallocate()
    }

    /// Records in use.
    var liveCount: Int { slab.liveCount }

    /// All of them, at the cost of a look at every record that ever was.
    var live: [InodeNumber] {
        (0..<slab.capacity).map { InodeNumber(rawValue: $0) }.filter { slab.live($0) != nil }
    }
}

/// What an ended call leaves to do outside the table lock.
struct Leftovers {
    var descriptors: [Int32] = []

    var isEmpty: Bool { descriptors.isEmpty }
}

// MARK: Roots

extension InodeTable {
    /// Adds a root: its descriptor, which the table closes at its end, is never evicted.
    mutating func addRoot(_ status: stat, _ descriptor: Int32, place: Place) -> InodeNumber {
        let number = slab.insert(status)
        rememberIdentity(of: number)
        slab[number].pointee.descriptor = descriptor
        slab[number].pointee.flags.insert(.root)
        rootPlaces[number] = place
        return number
    }

    /// As `addRoot`, for what no view shows. What somebody has open stays his to write when it is displaced
    /// to there.
    mutating func addStaging(_ status: stat, _ descriptor: Int32) -> InodeNumber {
        let number = addRoot(status, descriptor, place: .free)
        staging = number
        return number
    }

    /// As `addRoot`, for the bundle. The one before stays a root, and closed to changes: programs may be in
    /// it.
    /// - Returns: the new one, and the one before.
    mutating func addBundle(
        _ status: stat, _ descriptor: Int32, name: String
    ) -> (new: BundleRoot, old: BundleRoot?) {
        let old = bundle
        let new = BundleRoot(inode: addRoot(status, descriptor, place: .bundle), name: name)
        bundle = new
        return (new, old)
    }
}

// MARK: Identity

extension InodeTable {
    /// Finds or makes the record of what `name` in `directory` is, and takes a reference to it.
    mutating func remember(_ status: stat, name: FileName, in directory: InodeNumber) -> InodeNumber {
        let type = UInt8(status.st_mode >> 12)
        if let known = inode(Identity(status)), slab[known].pointee.type == type {
            slab[known].pointee.references += 1
            note(status, of: known)
            // The only name of an inode is where it is, whatever we believed.
            let isOnlyName = status.st_nlink <= 1 || slab[known].pointee.isDirectory
            // Nor is it where no app sees it, when one finds it elsewhere: staging's rules are not its.
            if slab[known].pointee.isDetached || isOnlyName || isStaged(known) {
                attach(known, name: name, in: directory)
            }
            return known
        }
        let number = slab.insert(status)
        rememberIdentity(of: number)
        note(status, of: number)
        if startsPossiblyWritten && status.isRegular { slab[number].pointee.flags.insert(.possiblyWritten) }
        attach(number, name: name, in: directory)
        return number
    }

    /// Whether the name that is known lies in staging.
    private func isStaged(_ number: InodeNumber) -> Bool {
        slab[number].name != nil && slab[number].pointee.parent == staging
    }

    /// Remembers what of the attributes decides about later calls.
    mutating func note(_ status: stat, of number: InodeNumber) {
        if status.isPrivileged && status.isRegular {
            slab[number].pointee.flags.insert(.privileged)
        }
        if status.st_nlink > 1 && !status.isDirectory { slab[number].pointee.flags.insert(.linked) }
    }

    /// Whether attributes or a descriptor are of this inode, and not of what its name leads to by now.
    func isInode(_ number: InodeNumber, _ status: stat) -> Bool {
        slab[number].pointee.identity == Identity(status)
    }

    /// Whether the file was seen with set-user-id or set-group-id.
    func isPrivileged(_ number: InodeNumber) -> Bool { slab[number].pointee.flags.contains(.privileged) }

    func isRegular(_ number: InodeNumber) -> Bool {
        slab.live(number)?.pointee.type == UInt8(FileMode.regular >> 12)
    }

    func generation(of number: InodeNumber) -> UInt64 {
        slab.live(number).map { UInt64($0.pointee.generation) } ?? 0
    }
}

// MARK: Skip-backup flags

extension InodeTable {
    /// The nearest of an inode and the directories above it that may carry a flag; nil where none does.
    func nearestPossiblyFlagged(from number: InodeNumber) -> InodeNumber? {
        var current = number
        while let inode = slab.live(current) {
            if !inode.pointee.flags.contains(.unflagged) { return current }
            if inode.name == nil { return nil }
            current = inode.pointee.parent
        }
        return nil
    }

    /// Whether it may carry a flag itself, as far as is known.
    func mayBeFlagged(_ number: InodeNumber) -> Bool {
        slab.live(number).map { !$0.pointee.flags.contains(.unflagged) } ?? true
    }

    /// It has just been made: nobody has flagged it yet.
    mutating func noteNew(_ number: InodeNumber) { slab[number].pointee.flags.insert(.unflagged) }

    /// It was seen without a flag of its own, and `flagChanges` were so many before that.
    mutating func noteUnflagged(_ number: InodeNumber, since changes: Int) {
        if changes == flagChanges { slab.live(number)?.pointee.flags.insert(.unflagged) }
    }

    /// An extended attribute was set.
    mutating func noteAttribute(of number: InodeNumber) {
        flagChanges += 1
        slab.live(number)?.pointee.flags.remove(.unflagged)
    }
}

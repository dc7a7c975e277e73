internal import CLinux
public import Posix
public import SandboxRules
internal import Synchronization
public import SystemPackage

/// The one door to the files of a home: everything that reads or changes them goes through this object, so
/// that all views, commands and the sync engine of a device see the same state.
///
/// The tree owns the inodes (`Inodes/`) and the other spellings of names (`Names/`). Names are looked up in
/// the backing directories, not remembered; the tree remembers which inode a number stands for.
///
/// Permission bits come with the caller's umask already applied; the umask of this process must be 0.
public final class HomeTree: Sendable {
    let inodes: InodeAccess
    /// The same as `inodes.tables`, for short.
    let tables: Lock<InodeTable>
    /// The same as `inodes.budget`.
    let budget: DescriptorBudget
    /// Keeps sync from moving items while somebody walks the container.
    public let walks = Walks()
    /// The mounts that must hear of changes by others.
    public let caches = KernelCaches()
    /// Leaf.
    let statusSource = Lock<(any CloudStatusSource)?>(nil, rank: .leaf)
    /// Leaf.
    let conflictSource = Lock<(any ConflictSource)?>(nil, rank: .leaf)
    /// Whether `tables.feed` is there: spares a lock where it is not.
    let isWatched = Atomic<Bool>(false)
    let handles: HandleShare
    private let guestHandles = Atomic<Int>(0)
    let outlet: EventOutlet
    /// What is kept free where the home lies; nil: nothing.
    let reserve: SpaceReserve?
    private let policyCode: Atomic<UInt8>
    /// How names are compared.
    public var policy: NamePolicy { NamePolicy(rawValue: policyCode.load(ordering: .relaxed)) ?? .device }
    /// The home directory: the data container's root.
    public let home: InodeNumber
    /// A directory outside the container, on its file system, for what is not finished yet and for what was
    /// displaced: no name leads there from the home.
    public let staging: InodeNumber
    /// The bundle, where the tree has one; another one after an upgrade.
    public var bundle: BundleRoot? { tables.withLock { $0.bundle } }

    /// - Parameters:
    ///   - container: the data container's (or a group's) directory.
    ///   - staging: the container's staging directory, open for reading.
    ///   - rootPlace: `.home`, or `.group`.
    ///   - bundle: the bundle's directory; read-only by the rules.
    ///   - bundleName: `Name.app`.
    ///   - reserve: what is kept free where the home lies.
    ///   - isPossiblyWritten: programs may go on writing files past this tree, which a mount that ended by a
    ///     crash gave them: each file is possibly written until a lease tells otherwise.
    /// - Throws: what fstat(2) answers.
    public init(
        container: consuming Descriptor, staging: consuming Descriptor, rootPlace: Place = .home,
        bundle: consuming Descriptor? = nil, bundleName: String? = nil, policy: NamePolicy = .device,
        budget: DescriptorBudget, reserve: SpaceReserve? = nil, isPossiblyWritten: Bool = false,
        events: (any EventSink)? = nil
    ) throws(Errno) {
        self.reserve = reserve
        var table = InodeTable(startsPossiblyWritten: isPossiblyWritten)
        policyCode = Atomic(policy.rawValue)
        handles = HandleShare(of: budget)
        home = table.addRoot(try stat(of: container.raw), container.release(), place: rootPlace)
        self.staging = table.addStaging(try stat(of: staging.raw), staging.release())
        if let bundle = consume bundle {
            _ = table.addBundle(
                try stat(of: bundle.raw), bundle.release(), name: bundleName ?? "")
        }
        inodes = InodeAccess(table, budget: budget)
        tables = inodes.tables
        self.budget = budget
        outlet = EventOutlet(sink: events)
    }

    /// Where the inode stands, as far as the rules care: by its current parents, also for older handles.
    public func place(of number: InodeNumber) -> Place {
        tables.withLock { $0.place(of: number, under: policy) }
    }

    /// The place of the directory that holds the inode; a root's own for a root.
    public func placeOfParent(of number: InodeNumber) -> Place {
        tables.withLock { $0.place(of: $0.parent(of: number) ?? number, under: policy) }
    }

    /// The generation under which the number was given this time.
    public func generation(of number: InodeNumber) -> UInt64 {
        tables.withLock { $0.generation(of: number) }
    }

    /// Takes one more reference to an inode that the caller holds already.
    public func retain(_ number: InodeNumber) {
        tables.withLock { $0.retain(number) }
    }

    /// Gives references back that look-ups and creations took.
    public func forget(_ number: InodeNumber, count: Int = 1) {
        var leftovers = Leftovers()
        tables.withLock { $0.release(number, count: UInt32(count), into: &leftovers) }
        inodes.close(leftovers)
    }

    /// Records in use, for tests and `info`.
    public var liveInodeCount: Int { tables.withLock { $0.liveCount } }
    /// Open files.
    public var openHandleCount: Int { tables.withLock { $0.openCount } }
    /// The paths of what is open, from the root, for people.
    public var openPaths: [String] { tables.withLock { $0.openPaths } }
    /// Whether somebody has a file open otherwise than through a guest's view: for SPEC 9 the app runs then.
    public var isOpenInHome: Bool { openHandleCount > guestHandles.load(ordering: .relaxed) }

    /// Counts open files of guests' views.
    public func noteGuestHandle(_ change: Int) { guestHandles.wrappingAdd(change, ordering: .relaxed) }
}

/// The bundle of a home: read-only by the rules.
public struct BundleRoot: Sendable {
    /// Its directory.
    public let inode: InodeNumber
    /// `Name.app`, under which it stands in the home.
    public let name: String
}

extension HomeTree {
    /// Compares names otherwise from now on.
    /// - Precondition: no kernel has been told to believe what it knows of names.
    public func adopt(_ policy: NamePolicy) {
        if policy == self.policy { return }
        inodes.locks.withAllLocks {
            tables.withLock {
                $0.spellings = [:]
                $0.nameSets.dropAll()
            }
            policyCode.store(policy.rawValue, ordering: .relaxed)
        }
    }
}

// MARK: Other roots under open mounts

extension HomeTree {
    /// Puts another bundle in the place of the one that the home shows, and returns when every mount shows
    /// it.
    ///
    /// The directory of the old one has to stay for as long as this tree: programs that use it go on using
    /// it, and numbers of its inodes must not be given to others.
    /// - Parameter name: `Name.app`.
    /// - Throws: what fstat(2) answers.
    public func replaceBundle(_ directory: consuming Descriptor, name: String) throws(Errno) {
        let status = try stat(of: directory.raw)
        let descriptor = directory.release()
        let old = tables.withLock { $0.addBundle(status, descriptor, name: name).old }
        for name in Set([old?.name, name].compactMap { $0 }) {
            name.withFileName { caches.announce($0, in: home) }
        }
    }

    /// Puts another data container in the place of the one that this tree shows, and returns when every mount
    /// shows it.
    ///
    /// The home and the directories at its top keep their numbers, so that mounts of them, and programs whose
    /// working directory they are, see the new ones. All that lies deeper is left behind: except for files
    /// that are open, nothing of it can be reached through this tree any more.
    /// - Parameter staging: that of the other container.
    /// - Throws: what fstat(2) and openat(2) answer; then nothing has changed.
    public func replaceContainer(
        _ container: consuming Descriptor, staging: consuming Descriptor
    ) throws(Errno) {
        var moves = [
            MovedDirectory(home, try stat(of: container.raw), container),
            MovedDirectory(self.staging, try stat(of: staging.raw), staging),
        ]
        for (number, name) in tables.withLock({ $0.directories(in: home) }) {
            guard let opened = try openedDirectory(name, in: moves[0].raw) else { continue }
            moves.append(MovedDirectory(number, try stat(of: opened.raw), opened))
        }
        var leftovers = Leftovers()
        // Names go that calls under way may be about to use: each holds its directory's lock.
        var changed = inodes.locks.withAllLocks {
            tables.withLock { $0.replace(moves, below: [home, self.staging], into: &leftovers) }
        }
        budget.addCached(moves.count)
        inodes.close(leftovers)
        // A kernel may believe of names in the new one that they are absent.
        for number in moves.map(\.number) {
            changed += ((try? names(in: number)) ?? []).map { ($0, number) }
        }
        changed += tables.withLock { $0.nameSets.takeAbsences(in: Set(moves.map(\.number))) }
            .map { ($0.name, $0.directory) }
        for (name, directory) in changed { name.withFileName { caches.tellName($0.bytes, in: directory) } }
        caches.announce([], contents: moves.map(\.number))
    }

    /// nil where the new container has no such directory.
    private func openedDirectory(_ name: [CChar], in container: Int32) throws(Errno) -> Descriptor? {
        let result = lx_openat(container, name, lx_o_path | lx_o_nofollow | lx_o_directory, 0)
        if [Errno.noSuchFileOrDirectory, .notDirectory].contains(where: { -$0.rawValue == result }) {
            return nil
        }
        return Descriptor(owning: try valueOrErrno(result))
    }

    /// Where the container lies, for another process; nil where that is not known any more.
    public var backingPath: String? {
        let path = try? inodes.withDirectory(home) { (directory) throws(Errno) in pathOfDescriptor(directory)
        }
        return path ?? nil
    }
}

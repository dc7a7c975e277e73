internal import CLinux
public import Posix
public import SandboxRules
internal import Synchronization
public import SystemPackage

/// The one door to the files of a home: whoever reads or changes them does it through here, so that all
/// views, commands and engines of a device meet in one memory.
///
/// The tree owns the inodes (`Inodes/`) and the other spellings of names (`Names/`). Names are looked up in
/// the backing directories, not remembered; what is remembered is who is who.
///
/// Modes are the caller's, with his mask applied: the process must have a file mode mask of 0.
// Unchecked: all state is in `tables`, `locks` and `outlet`, which lock for themselves.
public final class HomeTree: @unchecked Sendable {
    /// Leaf: taken after directory locks, never held across a system call.
    let tables = Lock(Tables())
    let locks = DirectoryLocks()
    /// Leaf. Held while a lease is asked for and given back, three calls that wait for nothing.
    let leases = Lock(())
    /// Before directory locks. Held across a move of sync's with its system calls; who begins a walk waits.
    let walks = Lock(Walks())
    /// Leaf. The mounts that must hear of changes by others.
    let caches = Lock<[any KernelCache]>([])
    /// Leaf.
    let statusSource = Lock<(any CloudStatusSource)?>(nil)
    /// Whether `tables.feed` is there: spares a lock where it is not.
    let isWatched = Atomic<Bool>(false)
    let budget: DescriptorBudget
    let outlet: EventOutlet
    /// How names are compared.
    public let policy: NamePolicy
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
    ///   - isRestless: programs may go on writing files past this tree, which a mount that ended by a crash
    ///     gave them: each file is restless until it was asked for.
    /// - Throws: what fstat(2) answers.
    public init(
        container: consuming Descriptor, staging: consuming Descriptor, rootPlace: Place = .home,
        bundle: consuming Descriptor? = nil, bundleName: String? = nil, policy: NamePolicy = .device,
        budget: DescriptorBudget, isRestless: Bool = false, events: (any EventSink)? = nil
    ) throws(Errno) {
        tables.withLock { $0.startsRestless = isRestless }
        self.policy = policy
        self.budget = budget
        home = try Self.addRoot(container, to: tables)
        self.staging = try Self.addRoot(staging, to: tables)
        let (home, stagingRoot) = (home, self.staging)
        tables.withLock { tables in
            tables.staging = stagingRoot
            // What somebody has open stays his to write when it is displaced.
            (tables.rootPlaces[home], tables.rootPlaces[stagingRoot]) = (rootPlace, .free)
        }
        if let bundle = consume bundle {
            let number = try Self.addRoot(bundle, to: tables)
            tables.withLock { $0.addBundle(BundleRoot(inode: number, name: bundleName ?? "")) }
        }
        outlet = EventOutlet(sink: events)
        budget.add(self)
    }

    deinit {
        tables.withLock { tables in
            budget.addCached(-tables.cache.count)
            tables.closeAll()
            tables.slab.deallocate()
        }
    }

    static func addRoot(_ root: consuming Descriptor, to tables: Lock<Tables>) throws(Errno)
        -> InodeNumber
    {
        var status = stat()
        try valueOrErrno(lx_fstat(root.raw, &status))
        let descriptor = root.release()
        return tables.withLock { tables in
            let number = tables.slab.insert(status)
            tables.byIdentity[Identity(status)] = number
            tables.slab[number].pointee.descriptor = descriptor
            tables.slab[number].pointee.flags.insert(.root)
            return number
        }
    }

    /// Where the inode stands, as far as the rules care: by its current parents, also for older handles.
    public func place(of number: InodeNumber) -> Place {
        tables.withLock { tables in place(of: number, in: tables) }
    }

    /// The place of the directory that holds the inode; a root's own for a root.
    public func placeOfParent(of number: InodeNumber) -> Place {
        tables.withLock { tables in
            guard let inode = tables.slab.live(number), inode.name != nil else {
                return place(of: number, in: tables)
            }
            return place(of: inode.pointee.parent, in: tables)
        }
    }

    /// Only the names nearest to the root decide: below them a place is what its parent's is.
    private func place(of number: InodeNumber, in tables: Tables) -> Place {
        var nearest: (InodeNumber?, InodeNumber?, InodeNumber?) = (nil, nil, nil)
        var current = number
        while tables.rootPlaces[current] == nil {
            guard let inode = tables.slab.live(current), inode.name != nil else { return .free }
            nearest = (current, nearest.0, nearest.1)
            current = inode.pointee.parent
        }
        var place = tables.rootPlaces[current] ?? .free
        // Not a loop over an array, which would be made for every call.
        enter(nearest.0, &place, tables)
        enter(nearest.1, &place, tables)
        enter(nearest.2, &place, tables)
        return place
    }

    private func enter(_ step: InodeNumber?, _ place: inout Place, _ tables: Tables) {
        guard let step, let name = tables.slab[step].name else { return }
        place = place.place(
            ofChild: FileName(name).bytes, isDirectory: tables.slab[step].pointee.isDirectory, under: policy)
    }

    /// The generation under which the number was given this time.
    public func generation(of number: InodeNumber) -> UInt64 {
        tables.withLock { UInt64($0.slab[number].pointee.generation) }
    }

    /// Takes one more reference to an inode that the caller holds already.
    public func retain(_ number: InodeNumber) {
        tables.withLock { $0.slab[number].pointee.references += 1 }
    }

    /// Gives references back that look-ups and creations took.
    public func forget(_ number: InodeNumber, count: Int = 1) {
        var leftovers = Leftovers()
        tables.withLock { $0.release(number, count: UInt32(count), into: &leftovers) }
        close(leftovers)
    }

    /// Records in use, for tests and `info`.
    public var liveInodeCount: Int { tables.withLock { $0.slab.liveCount } }
    /// Open files and directories.
    public var openHandleCount: Int { tables.withLock { $0.handles.count } }

    func close(_ leftovers: Leftovers) {
        if leftovers.isEmpty { return }
        budget.addCached(-leftovers.descriptors.count)
        for descriptor in leftovers.descriptors { _ = lx_close(descriptor) }
    }
}

extension Tables {
    /// Closes every descriptor; for the tree's end.
    mutating func closeAll() {
        for number in 0..<slab.capacity {
            let inode = slab[InodeNumber(rawValue: number)]
            guard inode.pointee.flags.contains(.live) else { continue }
            if inode.pointee.descriptor >= 0 { _ = lx_close(inode.pointee.descriptor) }
            inode.clearName()
        }
    }
}

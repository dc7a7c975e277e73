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
public final class HomeTree: Sendable {
    let inodes: InodeAccess
    /// Those of `inodes`: one step less to them.
    let tables: Lock<InodeTable>
    /// That of `inodes`.
    let budget: DescriptorBudget
    /// Before directory locks. Held across a move of sync's with its system calls; who begins a walk waits.
    let walks = Lock(Walks())
    /// Leaf. The mounts that must hear of changes by others.
    let caches = Lock<[any KernelCache]>([])
    /// Leaf.
    let statusSource = Lock<(any CloudStatusSource)?>(nil)
    /// Whether `tables.feed` is there: spares a lock where it is not.
    let isWatched = Atomic<Bool>(false)
    let handles: HandleShare
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
        var table = InodeTable(startsRestless: isRestless)
        self.policy = policy
        handles = HandleShare(of: budget)
        home = table.addRoot(try Self.status(of: container.raw), container.release(), place: rootPlace)
        self.staging = table.addStaging(try Self.status(of: staging.raw), staging.release())
        if let bundle = consume bundle {
            _ = table.addBundle(
                try Self.status(of: bundle.raw), bundle.release(), name: bundleName ?? "")
        }
        inodes = InodeAccess(table, budget: budget)
        tables = inodes.tables
        self.budget = budget
        outlet = EventOutlet(sink: events)
    }

    static func status(of directory: Int32) throws(Errno) -> stat {
        var status = stat()
        try valueOrErrno(lx_fstat(directory, &status))
        return status
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
    /// Open files and directories.
    public var openHandleCount: Int { tables.withLock { $0.openCount } }
}

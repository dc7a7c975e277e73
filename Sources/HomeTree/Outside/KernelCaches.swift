public import Posix

/// A mount whose kernel remembers names and contents: it must hear of changes that did not come through it.
public protocol KernelCache: AnyObject, Sendable {
    /// `name` in `directory` stands for something else now, or for nothing. Must not wait.
    func forgetName(_ name: [UInt8], in directory: InodeNumber)
    /// Attributes and contents of `inode` (a directory: its names) changed. Must not wait.
    func forgetContents(of inode: InodeNumber)
    /// Whether its kernel checks mode bits, also of what it remembers.
    var checksAccess: Bool { get }
    /// Nobody may search `directory` any more. `names` in it were answered, and are to be looked up anew;
    /// before them, in `own.parent`, the directory itself. Must not wait. Only where the kernel does not
    /// check that.
    func searchWasLost(
        of directory: InodeNumber, names: [[UInt8]], own: (name: [UInt8], parent: InodeNumber)?)
    /// Waits until the kernel has taken what was sent so far; false after the timeout.
    func waitUntilTaken(timeoutSeconds: Double) -> Bool
}

extension KernelCache {
    public var checksAccess: Bool { true }
    public func searchWasLost(
        of directory: InodeNumber, names: [[UInt8]], own: (name: [UInt8], parent: InodeNumber)?
    ) {}
}

/// The mounts of a tree that hear of changes by others: they are told, or (`announce`) told and waited for.
///
/// A command of the daemon announces its change with no lock held: it is done when the change is seen. The
/// wait is bounded: a kernel that does not answer has its own trouble.
public final class KernelCaches: Sendable {
    /// Leaf.
    private let caches = Lock<[any KernelCache]>([], rank: .leaf)
    /// They believe less, and are told less.
    public let guests = GuestCaches()

    /// From now on the mount hears of changes made by others.
    public func add(_ cache: any KernelCache) { caches.withLock { $0.append(cache) } }

    public func remove(_ cache: any KernelCache) {
        caches.withLock { caches in caches.removeAll { $0 === cache } }
    }

    /// Whether no kernel believes anything of the tree.
    public var isEmpty: Bool { caches.withLock { $0.isEmpty } }

    private var all: [any KernelCache] { caches.withLock { $0 } }

    /// Those whose kernels check no mode bits.
    var withoutChecks: [any KernelCache] { all.filter { !$0.checksAccess } }

    /// Tells every mount that a name stands for something else. Does not wait: requests may call it.
    func tellName(_ name: some Sequence<UInt8>, in directory: InodeNumber) {
        for cache in all { cache.forgetName(Array(name), in: directory) }
    }

    /// Tells every mount that an item's contents changed. Does not wait: requests may call it.
    public func tellContents(of number: InodeNumber) {
        for cache in all { cache.forgetContents(of: number) }
    }

    /// Tells every mount that `name` in `directory` changed, and waits until their kernels know.
    public func announce(_ name: FileName, in directory: InodeNumber) { announce([(name, directory)]) }

    /// As that, for several names, and for items whose attributes or contents changed.
    public func announce(_ names: [(FileName, in: InodeNumber)], contents: [InodeNumber] = []) {
        for (name, directory) in names {
            tellName(name.bytes, in: directory)
            tellContents(of: directory)
        }
        for number in contents { tellContents(of: number) }
        waitUntilTaken()
        tellGuests(names.map(\.in) + contents)
    }

    /// Tells the guests' kernels that attributes of these changed, and not the main one, which made the
    /// change. With no lock held.
    public func tellGuests(_ inodes: [InodeNumber]) { guests.tell(inodes) }

    private func waitUntilTaken() { for cache in all { _ = cache.waitUntilTaken(timeoutSeconds: 2) } }
}

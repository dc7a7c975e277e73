internal import CLinux
internal import Posix
internal import SandboxRules
internal import Synchronization

/// A mount whose kernel believes attributes for a moment, and no name.
public protocol GuestCache: AnyObject, Sendable {
    /// Returns once the kernel asks for the inode's attributes anew, also where an answer with them is on its
    /// way. Waits for no lock that a request may hold.
    func forgetAttributes(of inode: InodeNumber)
}

/// The mounts of a tree, beside its main one, that believe attributes for a moment: a program that looks
/// through many files has each asked for once.
///
/// Who changes an item tells them before the change is answered. What a mount answers with may be believed
/// if nothing was told from before it was read (`toldCount`) until the mount's `GuestCache` would find the
/// item (`mayBelieve`): what is told later is told to its kernel.
public final class GuestCaches: Sendable {
    /// So long a kernel believes: longer than a program takes from finding a file to asking for its size.
    public static let momentSeconds = 0.01
    /// Nothing is told once nobody was answered so for this long: ample for the slowest answer.
    private static let memoryNanoseconds: Int64 = 2_000_000_000

    private let caches = Lock<[any GuestCache]>([], rank: .leaf)
    /// Spares who changes something the rest where there is no such mount.
    private let count = Atomic<Int>(0)
    private let told = Atomic<UInt64>(0)
    /// By the clock that nobody sets.
    private let believedUntil = Atomic<Int64>(0)

    public func add(_ cache: any GuestCache) {
        caches.withLock { $0.append(cache) }
        count.add(1, ordering: .sequentiallyConsistent)
    }

    public func remove(_ cache: any GuestCache) {
        caches.withLock { caches in caches.removeAll { $0 === cache } }
        count.subtract(1, ordering: .sequentiallyConsistent)
    }

    public var isEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    public var toldCount: UInt64 { told.load(ordering: .sequentiallyConsistent) }

    func mayBelieve(since count: UInt64) -> Bool {
        let now = lx_monotonic_nanoseconds()
        // Not written at each look, for others read it.
        if believedUntil.load(ordering: .sequentiallyConsistent) < now + Self.memoryNanoseconds / 2 {
            believedUntil.store(now + Self.memoryNanoseconds, ordering: .sequentiallyConsistent)
        }
        return toldCount == count
    }

    /// Attributes of these have changed. With no lock held.
    func tell(_ inodes: some Sequence<InodeNumber>) {
        if isEmpty { return }
        told.add(1, ordering: .sequentiallyConsistent)
        guard believedUntil.load(ordering: .sequentiallyConsistent) > lx_monotonic_nanoseconds() else {
            return
        }
        let caches = caches.withLock { $0 }
        for inode in inodes { for cache in caches { cache.forgetAttributes(of: inode) } }
    }
}

extension HomeTree {
    /// Whether a guest's kernel may believe attributes of an inode for a moment. Asked once its `GuestCache`
    /// finds the inode.
    /// - Parameter count: what `GuestCaches.toldCount` was before they were read.
    public func mayBelieveForAMoment(_ number: InodeNumber, since count: UInt64) -> Bool {
        guard policy != .simulator, caches.guests.mayBelieve(since: count) else { return false }
        // Of what is written with passthrough only the main mount's kernel knows.
        return tables.withLock { $0.mayBelieve(number) && !$0.hasWriteHandle(number) }
    }
}

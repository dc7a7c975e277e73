public import Posix
internal import SandboxRules

/// A mount whose kernel remembers names and contents: it must hear of changes that did not come through it.
public protocol KernelCache: AnyObject, Sendable {
    /// `name` in `directory` stands for something else now, or for nothing. Must not wait.
    func forgetName(_ name: [UInt8], in directory: InodeNumber)
    /// Attributes and contents of `inode` (a directory: its names) changed. Must not wait.
    func forgetContents(of inode: InodeNumber)
    /// Waits until the kernel has taken what was sent so far; false after the timeout.
    func settle(timeoutSeconds: Double) -> Bool
}

extension HomeTree {
    /// From now on the mount hears of changes made by others.
    public func addCache(_ cache: any KernelCache) {
        caches.withLock { $0.append(cache) }
    }

    public func removeCache(_ cache: any KernelCache) {
        caches.withLock { caches in caches.removeAll { $0 === cache } }
    }

    /// Tells every mount to forget the name of pure ASCII that `name` is another spelling of: the kernel
    /// trusts such names, and has only heard of the item by the other. Does not wait: requests may call it.
    func forgetASCIISpelling(of name: FileName, in directory: InodeNumber) {
        guard let ascii = policy.asciiSpelling(of: name.bytes) else { return }
        for cache in caches.withLock({ $0 }) { cache.forgetName(Array(ascii.utf8), in: directory) }
    }

    /// Tells every mount that `name` in `directory` changed, and waits until their kernels know.
    ///
    /// Called by commands of the daemon after their change, with no lock held: a command is done when its
    /// change is seen. The wait is bounded: a kernel that does not answer has its own trouble.
    public func announce(_ name: FileName, in directory: InodeNumber) { announce([(name, directory)]) }

    func announce(_ names: [(FileName, in: InodeNumber)]) {
        let known = caches.withLock { $0 }
        for cache in known {
            for (name, directory) in names {
                cache.forgetName(Array(name.bytes), in: directory)
                cache.forgetContents(of: directory)
            }
        }
        for cache in known { _ = cache.settle(timeoutSeconds: 2) }
    }

    /// Tells every mount that an item's contents changed. Does not wait: requests may call it.
    public func tellContents(of number: InodeNumber) {
        for cache in caches.withLock({ $0 }) { cache.forgetContents(of: number) }
    }

    /// As `announce(_:in:)`, for an item whose attributes changed and whose name did not.
    func announceContents(of number: InodeNumber) {
        let known = caches.withLock { $0 }
        for cache in known { cache.forgetContents(of: number) }
        for cache in known { _ = cache.settle(timeoutSeconds: 2) }
    }
}

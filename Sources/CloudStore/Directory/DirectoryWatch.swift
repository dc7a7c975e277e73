internal import CLinux
internal import Posix
internal import SystemPackage

/// Tells when something is written in a folder of a directory store, without looking at it now and then.
///
/// inotify(7) tells only of what this machine does. On a file system that others reach too (NFS, SMB,
/// virtiofs, 9p, FUSE) `init` refuses: there the store must be polled, as S3 is (SYNC.md 2).
public final class DirectoryWatch: Sendable {
    /// One element for each burst of changes; never an end.
    public let changes: AsyncStream<Void>
    private let end: WakeUp
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameter folder: of keys that are watched, such as `v1/hint`; made where it is not there.
    /// - Throws: `.unsupported` where the store must be polled; as a store's calls.
    public init(of store: DirectoryStore, folder: String) throws(StoreError) {
        let watched = WatchedFolder(StoreFolder(path: store.path), folder, store.rights)
        (changes, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        do throws(Errno) {
            let end = try WakeUp()
            self.end = end
            let watch = try watched.begin()
            let continuation = self.continuation
            try NativeThread(name: "store watch") {
                watched.follow(watch, until: end.raw) { continuation.yield() }
                // Keeps the descriptor that is waited for open until here.
                end.clear()
            }.detach()
        } catch .notSupported {
            throw .unsupported("\(store.path): others may write there unseen by this machine: it is polled")
        } catch {
            throw StoreError(error, store.path)
        }
    }

    deinit {
        end.signal()
        continuation.finish()
    }
}

private struct WatchedFolder: Sendable {
    private let store: StoreFolder
    private let folder: String
    private let rights: UserRights?
    /// After the folder or its disk went away.
    private static let retrySeconds = 5.0

    init(_ store: StoreFolder, _ folder: String, _ rights: UserRights?) {
        self.store = store
        self.rights = rights
        self.folder = folder
    }

    /// - Throws: `notSupported` where the file system is not this machine's alone.
    func begin() throws(Errno) -> SharedDescriptor {
        guard let rights else { return try watch() }
        return try rights.acting { () throws(Errno) in try watch() }
    }

    private func watch() throws(Errno) -> SharedDescriptor {
        let directory: Descriptor
        do throws(StoreError) {
            directory = try store.makeDirectory(folder, in: try store.open())
        } catch {
            throw .noSuchFileOrDirectory
        }
        guard LocalFileSystem.holds(directory) else { throw .notSupported }
        let watch = SharedDescriptor(Descriptor(owning: try valueOrErrno(lx_inotify())))
        try valueOrErrno(lx_inotify_add(watch.raw, directory.raw))
        return watch
    }

    /// Calls `report` after each burst of changes, until `end` is readable.
    func follow(_ first: SharedDescriptor, until end: Int32, report: () -> Void) {
        var watch: SharedDescriptor? = first
        while true {
            let descriptors = [end] + (watch.map { [$0.raw] } ?? [])
            // Only while the folder is away does this wake up by itself.
            let deadline = watch == nil ? Deadline(seconds: Self.retrySeconds) : nil
            let ready = (try? Waiting.wait(for: descriptors, until: deadline)) ?? [true]
            if ready[0] { return }
            if let current = watch {
                if lx_inotify_drain(current.raw) != 0 { watch = nil }
                report()
            } else {
                watch = try? begin()
                if watch != nil { report() }
            }
        }
    }
}

/// File systems that only this machine writes to.
enum LocalFileSystem {
    /// The magic numbers of statfs(2). What is not here counts as somebody else's too.
    private static let magicNumbers: Set<Int64> = [
        0xEF53,  // ext2, ext3, ext4
        0x5846_5342,  // xfs
        0x9123_683E,  // btrfs
        0xF2F5_2010,  // f2fs
        0x2FC1_2FC1,  // zfs
        0xCA45_1A4E,  // bcachefs
        0x3153_464A,  // jfs
        0x0102_1994,  // tmpfs
        0x8584_58F6,  // ramfs
        0x794C_7630,  // overlayfs
    ]

    static func holds(_ directory: borrowing Descriptor) -> Bool {
        magicNumbers.contains(lx_file_system_type(directory.raw))
    }
}

internal import CLinux
internal import Posix
internal import SystemPackage

/// Tells when something is written in a folder of a directory store, without asking the store now and then.
///
/// The folder may be taken away and come back, be moved, or have a copy or another disk put in its place:
/// what then lies there is watched. That is all that is looked at by the clock, with no request of the store.
/// inotify(7) tells only of what this machine does. On a file system that others reach too (NFS, SMB,
/// virtiofs, 9p, FUSE) `init` refuses: there the store must be polled, as S3 is.
public final class DirectoryWatch: Sendable {
    /// One element for each burst of changes; never an end.
    public let changes: AsyncStream<Void>
    private let end: WakeUp
    private let continuation: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - folder: of keys that are watched, such as `v1/hint`; made where it is not there.
    ///   - lookSeconds: between two looks whether what is watched still is what the path leads to.
    /// - Throws: `.unsupported` where the store must be polled; as a store's calls.
    public init(of store: DirectoryStore, folder: String, lookSeconds: Double = 20) throws(StoreError) {
        let watched = WatchedFolder(
            store: StoreFolder(path: store.path), folder: folder, rights: store.rights,
            lookSeconds: lookSeconds)
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
    let store: StoreFolder
    let folder: String
    let rights: UserRights?
    let lookSeconds: Double
    /// After the folder or its disk went away.
    private static let retrySeconds = 5.0

    /// What is watched, whatever its path.
    struct Watch: Sendable {
        let inotify: SharedDescriptor
        let directory: ItemStamp
    }

    /// - Throws: `notSupported` where the file system is not this machine's alone.
    func begin() throws(Errno) -> Watch {
        try acting { () throws(Errno) in try watch() }
    }

    private func acting<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
        guard let rights else { return try body() }
        return try rights.calling(body)
    }

    private func watch() throws(Errno) -> Watch {
        let directory: Descriptor
        do throws(StoreError) {
            directory = try store.makeDirectory(folder, in: try store.open())
        } catch {
            throw .noSuchFileOrDirectory
        }
        guard LocalFileSystem.holds(directory) else { throw .notSupported }
        let inotify = SharedDescriptor(Descriptor(owning: try valueOrErrno(lx_inotify())))
        try valueOrErrno(lx_inotify_add(inotify.raw, directory.raw))
        return Watch(inotify: inotify, directory: try ItemStamp(of: directory.raw))
    }

    /// Whether the path still leads to what is watched.
    private func isInPlace(_ watch: Watch) -> Bool {
        let found = try? acting { () throws(Errno) -> ItemStamp? in
            guard let top = try? store.open(), let found = try? store.openDirectory(folder, in: top)
            else { return nil }
            return try ItemStamp(of: found.raw)
        }
        guard let stamp = found ?? nil else { return false }
        return (stamp.device, stamp.inode, stamp.birth)
            == (watch.directory.device, watch.directory.inode, watch.directory.birth)
    }

    /// Calls `report` after each burst of changes, until `end` is readable.
    func follow(_ first: Watch, until end: Int32, report: () -> Void) {
        var watch: Watch? = first
        while true {
            let descriptors = [end] + (watch.map { [$0.inotify.raw] } ?? [])
            let deadline = Deadline(seconds: watch == nil ? Self.retrySeconds : lookSeconds)
            let ready = (try? Waiting.wait(for: descriptors, until: deadline)) ?? [true]
            if ready[0] { return }
            if ready.count > 1, ready[1], let current = watch {
                if lx_inotify_drain(current.inotify.raw) != 0 { watch = nil }
                report()
            } else if watch.map(isInPlace) != true {
                watch = beginAgain(report)
            }
        }
    }

    /// - Returns: nil where the folder is away, or cannot be watched any more.
    private func beginAgain(_ report: () -> Void) -> Watch? {
        do throws(Errno) {
            let watch = try begin()
            report()
            return watch
        } catch .notSupported {
            // A disk that others reach too lies there now.
            report()
        } catch {}
        return nil
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

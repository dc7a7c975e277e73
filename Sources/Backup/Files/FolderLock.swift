internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// Locks of flock(2) on folders of backups: the kernel ends one with its process. Where there are none (NFS
/// wants to write to what it locks) nothing is refused.
enum FolderLock {
    private static let pauseMicroseconds: UInt32 = 100_000

    /// Runs `body` while nobody else writes into `destination`, after another run has ended: often one that
    /// nobody waits for any more. Two would build in the same place, and each would remove what the other has
    /// put there.
    ///
    /// - Parameter isWaiting: called ten times a second; what it throws ends the wait.
    /// - Throws: `refused` where the other goes on for longer than `waitSeconds`; what `body` throws.
    static func hold<Result>(
        _ destination: Int32, waitSeconds: Double = 60, isWaiting: () throws -> Void,
        _ body: () throws -> Result
    ) throws -> Result {
        // Opened anew: the lock belongs to who opened, and the caller's descriptor may be a client's too.
        let folder = SharedDescriptor(try FileTree.openDirectory(destination, "."))
        guard try isLocked(folder.raw, waitSeconds, isWaiting) else {
            throw BackupError(
                .refused, "another backup is being written there; try again when it has ended")
        }
        return try withExtendedLifetime(folder) { try body() }
    }

    /// Keeps the backup in `folder` whole for its reader, until that descriptor is closed, though a newer
    /// one takes its name.
    /// - Throws: `refused` where it is being removed: that came just before.
    static func keep(_ folder: Int32) throws(BackupError) {
        guard lx_flock_shared(folder) != -Errno.wouldBlock.rawValue else {
            throw BackupError(.refused, "a newer backup is just taking this one's place; try again")
        }
    }

    /// Removes `name`, which an earlier run left.
    /// - Throws: `refused` where somebody reads it for longer than `waitSeconds`.
    static func makeRoom(
        _ directory: Int32, _ name: String, waitSeconds: Double = 60, isWaiting: () throws -> Void
    ) throws {
        guard try removeUnread(directory, name, waitSeconds, isWaiting) else {
            throw BackupError(.refused, "what was there before is being read; try again when that has ended")
        }
    }

    /// Removes `name`, whose place a newer one has taken.
    /// - Returns: false where somebody reads it for longer than `waitSeconds`: the next run removes it.
    static func removeReplaced(
        _ directory: Int32, _ name: String, waitSeconds: Double = 2
    ) throws -> Bool {
        try removeUnread(directory, name, waitSeconds) {}
    }

    private static func removeUnread(
        _ directory: Int32, _ name: String, _ waitSeconds: Double, _ isWaiting: () throws -> Void
    ) throws -> Bool {
        guard try ItemStamp.ifPresent(directory, name)?.isDirectory == true else {
            try TreeRemoval.remove(directory, name)
            return true
        }
        let folder = SharedDescriptor(try FileTree.openDirectory(directory, name))
        guard try isLocked(folder.raw, waitSeconds, isWaiting) else { return false }
        try withExtendedLifetime(folder) { try TreeRemoval.remove(directory, name) }
        return true
    }

    private static func isLocked(
        _ folder: Int32, _ waitSeconds: Double, _ isWaiting: () throws -> Void
    ) throws -> Bool {
        let deadline = Deadline(seconds: waitSeconds)
        while lx_flock(folder, 0) == -Errno.wouldBlock.rawValue {
            guard !deadline.hasPassed else { return false }
            try isWaiting()
            usleep(pauseMicroseconds)
        }
        return true
    }
}

internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// One run at a time writes into a folder of backups: two would build in the same place, and each would remove
/// what the other has put there. The kernel ends the lock with its process.
enum DestinationLock {
    private static let pauseMicroseconds: UInt32 = 100_000

    /// Runs `body` after another run has ended: often one that nobody waits for any more.
    ///
    /// - Parameter isWaiting: called ten times a second; what it throws ends the wait.
    /// - Throws: `refused` where the other goes on for longer than `waitSeconds`; what `body` throws.
    static func hold<Result>(
        _ destination: Int32, waitSeconds: Double = 60, isWaiting: () throws -> Void,
        _ body: () throws -> Result
    ) throws -> Result {
        // Opened anew: the lock belongs to who opened, and the caller's descriptor may be a client's too.
        let folder = SharedDescriptor(try Files.openDirectory(destination, "."))
        let deadline = Deadline(seconds: waitSeconds)
        // Where there are no such locks (NFS wants to write to what it locks) nothing is refused.
        while lx_flock(folder.raw, 0) == -Errno.wouldBlock.rawValue {
            guard !deadline.hasPassed else {
                throw BackupError(
                    .refused, "another backup is being written there; try again when it has ended")
            }
            try isWaiting()
            usleep(pauseMicroseconds)
        }
        return try withExtendedLifetime(folder) { try body() }
    }
}

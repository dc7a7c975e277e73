internal import FuseKit
internal import Posix
internal import Wire

/// Clearing away what a daemon that crashed has left.
enum Recovery {
    /// Unmounts what the records say a crashed daemon of this device served.
    ///
    /// A mount table's source is text that anybody who mounts may choose, and a device folder can be copied
    /// with its identity; so only mounts that this device's own records know, and that belong to its owner or
    /// root, are touched. They are told by their directory or, where they were bound or moved, by their
    /// device number. Where root's daemon works for another user, the records are that user's to write: what
    /// is root's is touched only where its server has ended.
    static func unmountDead(_ records: [MountRecord], deviceID: String, ownerID: UInt32, log: DaemonLog) {
        guard !records.isEmpty, let table = try? MountTable.current() else { return }
        let isForAnother = RequestRights.areLent
        let dead = table.entries.filter { entry in
            MountSource(entry.source)?.deviceID == deviceID && entry.type == Mounting.fileSystemType
                && (entry.userID == ownerID || entry.userID == 0)
                && records.contains { $0.dir == entry.mountPoint || $0.deviceNumber == entry.device }
                && (!isForAnother || entry.userID == ownerID || isDead(entry.mountPoint))
        }
        // The newest first: one may lie in another.
        for entry in dead.reversed() {
            do {
                // A folder above it may be root's alone.
                try Owner(uid: 0, gid: 0).acting { try Unmounting.clean(entry) }
                log.write("cleaned the dead mount at \(entry.mountPoint)")
            } catch {
                log.write("\(error)")
            }
        }
    }

    private static let answerSeconds = 1.0

    /// Asked on a thread of its own: a server that lives and is stuck answers nobody.
    private static func isDead(_ path: String) -> Bool {
        let answer = Gate<Bool?>(nil)
        let thread = try? NativeThread(name: "dead mount") {
            let isDead = try? Owner(uid: 0, gid: 0).acting { MountPoint.isDead(path) }
            answer.update { $0 = isDead ?? false }
        }
        guard let thread else { return false }
        thread.detach()
        return answer.wait(timeoutSeconds: answerSeconds) { $0 } ?? false
    }
}

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
    /// device number. Nothing here asks a mount whether it lives: that could wait for ever.
    static func unmountDead(_ records: [MountRecord], deviceID: String, ownerID: UInt32, log: DaemonLog) {
        guard !records.isEmpty, let table = try? MountTable.current() else { return }
        let dead = table.entries.filter { entry in
            MountSource(entry.source)?.deviceID == deviceID && entry.type == Mounting.fileSystemType
                && (entry.userID == ownerID || entry.userID == 0)
                && records.contains { $0.dir == entry.mountPoint || $0.deviceNumber == entry.device }
        }
        // The newest first: one may lie in another.
        for entry in dead.reversed() {
            do {
                try Unmounting.clean(entry)
                log.write("cleaned the dead mount at \(entry.mountPoint)")
            } catch {
                log.write("\(error)")
            }
        }
    }
}

internal import CLinux
internal import Posix
internal import StoreBasics
internal import SystemPackage

extension StoreFolder {
    /// The file that is written to ask what time it is. It holds nothing.
    static let clockName = "clock"

    /// By the folder's file system.
    func time() -> StoreTime {
        clock.time { try? askTime() }
    }

    /// Writes, and waits for the disk: a network file system says its server's time only then. (Setting the
    /// time to "now" would do on NFS; SMB sends this machine's for that.)
    private func askTime() throws -> StoreTime? {
        let top = try open()
        guard let aside = try openDirectory(Self.aside, in: top) else { return nil }
        var details = stat()
        try valueOrErrno(lx_fstat(top.raw, &details))
        let (raw, mode) = (aside.raw, details.permissions & 0o666)
        // Not blocking: somebody may have put a fifo there.
        let flags = lx_o_creat | lx_o_wronly | lx_o_nofollow | lx_o_nonblock | lx_o_noctty
        let file = SharedDescriptor(
            Descriptor(owning: try retrying { lx_openat_beneath(raw, Self.clockName, flags, mode) }))
        try valueOrErrno(lx_fstat(file.raw, &details))
        guard details.isRegular else { return nil }
        var byte: UInt8 = 0
        try retrying { lx_pwrite(file.raw, &byte, 1, 0) }
        try valueOrErrno(lx_fsync(file.raw, 0))
        try valueOrErrno(lx_fstat(file.raw, &details))
        return details.modified
    }
}

extension Draft {
    /// Reads from it what time it is, and dates it anew where that lies before what the store's logs say.
    func date(by clock: FolderClock, _ path: String) throws(StoreError) -> StoreTime {
        do throws(Errno) {
            var details = stat()
            try valueOrErrno(lx_fstat(file.raw, &details))
            clock.note(details.modified)
            let date = clock.dateOfFile(details.modified)
            if date > details.modified {
                let time = timespec(tv_sec: Int(date.seconds), tv_nsec: 0)
                try valueOrErrno(lx_futimens(file.raw, [time, time]))
                try valueOrErrno(lx_fsync(file.raw, 0))
            }
            return clock.date(of: details.modified)
        } catch .notPermitted {
            throw .forbidden("\(path): its clock is wrong, and it lets nobody date a file: set the clock")
        } catch {
            throw StoreError(error, path)
        }
    }
}

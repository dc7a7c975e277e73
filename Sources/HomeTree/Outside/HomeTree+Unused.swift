internal import CLinux
public import Posix
public import SystemPackage

/// What has to hold of a database that is put in place, moved or taken away: nobody has it open, and none of
/// the files that SQLite keeps beside it is there.
public struct UnusedFile {
    public let directory: InodeNumber
    public let companions: [String]

    public init(in directory: InodeNumber, companions: [String]) {
        self.directory = directory
        self.companions = companions
    }
}

extension HomeTree {
    /// Removes files beside one that nobody has open, and keeps it from being opened meanwhile: who opens it
    /// first would have written to them.
    /// - Returns: false where somebody has it open.
    /// - Throws: what unlink(2) answers; a name that is not there is none to remove.
    public func removeCompanions(
        _ companions: [String], of name: FileName?, in directory: InodeNumber
    ) throws(Errno) -> Bool {
        do throws(Errno) {
            try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) in
                func act() throws(Errno) {
                    for companion in companions {
                        try companion.withFileName { (companion) throws(Errno) in
                            if try ItemStamp.ifPresent(descriptor, companion.cString) == nil { return }
                            try remove(companion, in: directory, descriptor, flags: 0)
                        }
                    }
                }
                try whileUnused(name.map { [(descriptor, $0.cString)] } ?? [], act)
            }
        } catch {
            if error == .wouldBlock { return false }
            throw error
        }
        for companion in companions {
            companion.withFileName { announce($0, in: directory) }
        }
        return true
    }

    /// Runs `body`, which waits for nothing, while nobody has any of the files open or can open it. Where the
    /// file system knows no leases, who has them open through the tree is all that is known.
    ///
    /// Directory locks are held: their order is before the lock of leases.
    /// - Throws: EWOULDBLOCK where somebody has one open.
    func whileUnused<R>(
        _ files: [(Int32, UnsafePointer<CChar>)], _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        var opened: [Int32] = []
        defer { for file in opened { _ = lx_close(file) } }
        for (directory, name) in files {
            let file = try inodes.openContents(directory, name, flags: 0)
            opened.append(file)
            var status = stat()
            try valueOrErrno(lx_fstat(file, &status))
            if tables.withLock({ $0.isOpen(Identity(status)) }) { throw .wouldBlock }
        }
        return try inodes.leases.withLock { (_) throws(Errno) in
            var taken: [Int32] = []
            defer { for file in taken { lx_give_lease_back(file) } }
            for file in opened {
                let lease = lx_take_write_lease(file)
                if lease == -Errno.wouldBlock.rawValue { throw .wouldBlock }
                if lease == 0 { taken.append(file) }
            }
            return try body()
        }
    }

    /// Where the container lies, for another process; nil where that is not known any more.
    public var backingPath: String? {
        let path = try? inodes.withDirectory(home) { (directory) throws(Errno) in pathOfDescriptor(directory)
        }
        return path ?? nil
    }

    /// A file without a name on the home's file system.
    public func temporaryFile() throws(Errno) -> Descriptor {
        let raw = try inodes.withDirectory(home) { (directory) throws(Errno) in
            try valueOrErrno(lx_openat(directory, ".", lx_o_tmpfile | lx_o_rdwr, 0o600))
        }
        return Descriptor(owning: raw)
    }
}

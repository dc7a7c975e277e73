public import CLinux
public import Posix
internal import SandboxRules
public import SystemPackage

/// What a look-up or a creation found; it holds one reference to the inode, which `forget` gives back.
public struct Found {
    public let inode: InodeNumber
    public let generation: UInt64
    public let status: stat
    /// Whether the kernel may believe `status`; who is told so is to be told of the next writer.
    public let isQuiet: Bool
}

extension HomeTree {
    /// Finds `name` in `directory`, in whichever spelling.
    /// - Throws: ENOENT, EILSEQ, ENAMETOOLONG, ESTALE, or what fstatat(2) answers.
    public func lookup(_ name: FileName, in directory: InodeNumber) throws(Errno) -> Found {
        try check(name)
        let result = try inodes.withLockedDirectory(directory) { (descriptor) throws(Errno) -> Found? in
            try find(name, in: directory, descriptor)
        }
        if let result { return result }
        outlet.missed(name, in: directory, of: self)
        throw .noSuchFileOrDirectory
    }

    /// As `lookup`, with the lock held; nil where nothing has the name.
    func find(_ name: FileName, in directory: InodeNumber, _ descriptor: Int32) throws(Errno) -> Found? {
        var status = stat()
        let result = lx_fstatat(descriptor, name.cString, &status, lx_at_symlink_nofollow)
        if result == 0 { return remember(status, name: name, in: directory) }
        let isAbsent = result == -Errno.noSuchFileOrDirectory.rawValue
        guard isAbsent else { throw Errno(rawValue: -result) }
        guard policy.hasOtherSpellings(name.bytes) else { return nil }
        return try withStored(name, in: directory, descriptor) { (stored) throws(Errno) -> Found? in
            guard lx_fstatat(descriptor, stored.cString, &status, lx_at_symlink_nofollow) == 0 else {
                return nil
            }
            if policy == .simulator {
                outlet.record(.caseSaved(asked: name.text, stored: stored.text), at: directory, of: self)
            }
            return remember(status, name: stored, in: directory)
        }
    }

    /// Makes `status` known as what `name` is. The directory's lock is held.
    /// - Parameter isBelieved: false where the caller settles what the kernel may believe.
    func remember(
        _ status: stat, name: FileName, in directory: InodeNumber, isBelieved: Bool = true
    ) -> Found {
        tables.withLock { tables in
            let number = tables.remember(status, name: name, in: directory)
            return Found(
                inode: number, generation: tables.generation(of: number), status: status,
                isQuiet: isBelieved && tables.mayBelieve(number))
        }
    }
}

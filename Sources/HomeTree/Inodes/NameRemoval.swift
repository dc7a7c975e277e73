internal import CLinux
internal import Posix
internal import SystemPackage

/// A name that is about to go, by any call: unlink, rmdir, a rename over it. Unless `finish` is called, it
/// stays.
///
/// The file system may give the inode's number to a new file as soon as its last name is gone, so the inode
/// leaves the table of identities before the call, and comes back where the call failed.
struct NameRemoval: ~Copyable {
    /// Of what the name stands for.
    let identity: Identity
    private let isLastName: Bool
    /// What the name stood for; nil: nobody knows it.
    private(set) var inode: InodeNumber?
    private var pin: PinnedInode?
    /// An O_PATH descriptor that keeps the inode reachable without a name, or -1.
    private var descriptor: Int32 = -1
    private var isFinished = false
    private let inodes: InodeAccess

    /// - Precondition: the directory's lock is held until this value ends.
    /// - Parameter isDirectory: whether the call removes directories alone, or all but those; nil: it may be
    ///   either.
    /// - Throws: ENOENT where there is nothing.
    init(
        of name: FileName, in directory: InodeNumber, _ opened: Int32, isDirectory: Bool? = nil,
        _ inodes: InodeAccess
    ) throws(Errno) {
        let standing = inodes.tables.withLock { $0.standing(of: name, in: directory) }
        // Of a file that somebody knows nothing is open, as a rule: what has to be opened tells what it is.
        let opensFirst = isDirectory == false && standing?.isReachable == false
        var path = opensFirst ? try? inodes.openPath(opened, name.cString) : nil
        defer { if let path { _ = lx_close(path) } }
        // Of a directory it is: then all is known, for it has no other name.
        if isDirectory == true, let standing, standing.isReachable {
            (identity, isLastName) = (standing.identity, true)
        } else {
            let status = if let path { try stat(of: path) } else { try stat(opened, name.cString) }
            (identity, isLastName) = (Identity(status), status.st_nlink <= 1 || status.isDirectory)
        }
        self.inodes = inodes
        let (identity, isLast) = (identity, isLastName)
        let known = inodes.tables.withLock {
            $0.pinForRemoval(identity, name, in: directory, isLastName: isLast)
        }
        guard let (number, needsDescriptor) = known else { return }
        inode = number
        pin = PinnedInode(number, -1, in: inodes)
        // Without one the inode would just be stale to a program that still holds it by O_PATH or cwd.
        guard needsDescriptor else { return }
        if path == nil {
            path = try? inodes.openPath(opened, name.cString)
            guard let path, inodes.isInode(number, path) else { return }
        }
        descriptor = path.take() ?? -1
    }

    /// The call succeeded: `name` in `directory` is no longer the inode's.
    mutating func finish(_ name: FileName, in directory: InodeNumber) {
        isFinished = true
        guard let number = inode else { return }
        let (isLast, path) = (isLastName, descriptor)
        let keeps = inodes.tables.withLock {
            $0.removeName(name, in: directory, of: number, isLastName: isLast, descriptor: path)
        }
        if keeps {
            descriptor = -1
            inodes.budget.didCache()
        }
    }

    /// The inode, where it has other names: its time of change is another one once this name went.
    var inodeThatStays: InodeNumber? { isLastName ? nil : inode }

    deinit {
        if descriptor >= 0 { _ = lx_close(descriptor) }
        guard let number = inode, !isFinished else { return }
        inodes.tables.withLock { $0.rememberIdentity(of: number) }
    }
}

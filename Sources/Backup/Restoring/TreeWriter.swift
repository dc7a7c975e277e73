internal import CLinux
internal import Posix
internal import SandboxRules
internal import SystemPackage

/// Makes a tree below an empty directory, from items that come in any order. No link is followed, nothing
/// that is there is replaced: a second item at a path is an error.
///
/// Directories are made first with all rights; what a file, link or directory is to have at the end is set
/// when nothing will be made in it any more (`finish`).
final class TreeWriter {
    /// What an item has besides its content.
    struct Attributes {
        /// Permissions; set-user-id and the like are not restored.
        var mode: UInt32
        var modified: Time
        var list: [FileRecord.Attribute] = []
    }

    /// A moment that the disk can keep, the nearest where it cannot.
    struct Time {
        /// From 1901 to 2446, which is what ext4 keeps.
        private static let times: ClosedRange<Int64> = -2_147_483_648...15_032_385_535
        fileprivate let value: timespec

        /// - Parameter seconds: since 1970; MobileSync has no finer ones.
        init(seconds: Int64, nanoseconds: Int64 = 0) {
            let nearest = min(max(seconds, Self.times.lowerBound), Self.times.upperBound)
            value = timespec(tv_sec: Int(nearest), tv_nsec: nearest == seconds ? Int(nanoseconds) : 0)
        }

        /// When the item was written last, to the nanosecond.
        init(of stamp: ItemStamp) {
            let time = timespec(nanoseconds: stamp.modified)
            self.init(seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
        }
    }

    /// Extended attributes that items could not be given.
    private(set) var leftOut = NamedItems(most: 5)

    private let root: Int32
    /// The owner that the items get: the device's. Nil: they stay the process's own.
    private let owner: Owner?
    private let isHome: Bool
    // The last parent that was used: items come nearly in the order of a walk.
    private var parentPath: String?
    private var parent: SharedDescriptor
    // Directories that their owner may not enter or write; last, and the deepest first.
    private var closed: [(path: String, attributes: Attributes)] = []

    private static let permissions: UInt32 = 0o777
    private static let ownerAll: UInt32 = 0o700
    private static let closedLimit = 100_000

    /// - Parameter isHome: whether it is a home's, where names may be longer than a disk takes.
    init(root: Int32, owner: Owner?, isHome: Bool = true) throws(Errno) {
        self.root = root
        self.owner = owner
        self.isHome = isHome
        parent = SharedDescriptor(try FileTree.openDirectory(root, "."))
        parentPath = ""
    }

    /// Makes a directory, with its parents; one that is there is left as it is.
    func makeDirectory(_ path: String) throws(Errno) {
        let (folder, name) = try place(of: path)
        let result = lx_mkdirat(folder, name, 0o700)
        if result == -Errno.fileExists.rawValue {
            guard try ItemStamp(folder, name).isDirectory else { throw .fileExists }
            return
        }
        try valueOrErrno(result)
        if isHome, LongName.isLong(path.directoryAndName.name) {
            let made = try FileTree.openDirectory(folder, name)
            try AttributeList.setLongName(of: path, made.raw)
        }
        try giveAway(folder, name)
    }

    func makeSymlink(_ path: String, text: String, modified: Time) throws(Errno) {
        // It has no attributes that could keep one.
        guard !LongName.isLong(path.directoryAndName.name) else { throw .fileNameTooLong }
        let (folder, name) = try place(of: path)
        try valueOrErrno(lx_symlinkat(text, folder, name))
        try giveAway(folder, name)
        try valueOrErrno(lx_utimensat(folder, name, [modified.value, modified.value]))
    }

    /// Makes a file with what `write` puts into the descriptor that it is given.
    /// - Parameter discardsHalf: whether a file goes again for which `write` throws.
    func makeFile(
        _ path: String, _ attributes: Attributes, discardsHalf: Bool = false,
        write: (borrowing Descriptor) throws -> Void
    ) throws {
        let (folder, name) = try place(of: path)
        let file = try FileTree.createFile(folder, name)
        do {
            if isHome { try AttributeList.setLongName(of: path, file.raw) }
            try write(file)
        } catch {
            if discardsHalf { _ = lx_unlinkat(folder, name, 0) }
            throw error
        }
        try finish(file.raw, path, attributes)
    }

    /// Gives a directory its rights, times and attributes, once all is made that lies in it.
    func finish(directory path: String, _ attributes: Attributes) throws(Errno) {
        guard attributes.mode & Self.ownerAll == Self.ownerAll else {
            guard closed.count < Self.closedLimit else { throw .argListTooLong }
            return closed.append((path, attributes))
        }
        let directory = try openDirectory(path)
        try finish(directory.raw, path, attributes)
    }

    /// The end: directories that are closed to their owner.
    func finishAll() throws(Errno) {
        parentPath = nil
        closed.sort { $0.path.utf8.count { $0 == 0x2f } > $1.path.utf8.count { $0 == 0x2f } }
        for (path, attributes) in closed {
            let directory = try openDirectory(path)
            try finish(directory.raw, path, attributes)
        }
        closed = []
    }

    private func finish(_ fd: Int32, _ path: String, _ attributes: Attributes) throws(Errno) {
        for attribute in attributes.list where try !AttributeList.set(attribute, fd, "") {
            leftOut.add("\(path) (\(attribute.name))")
        }
        if let owner { try valueOrErrno(lx_chownat(fd, "", owner.uid, owner.gid)) }
        try valueOrErrno(lx_fchmod(fd, attributes.mode & Self.permissions))
        let time = attributes.modified.value
        try valueOrErrno(lx_futimens(fd, [time, time]))
    }

    private func giveAway(_ folder: Int32, _ name: String) throws(Errno) {
        guard let owner else { return }
        try valueOrErrno(lx_chownat(folder, name, owner.uid, owner.gid))
    }

    private func openDirectory(_ path: String) throws(Errno) -> Descriptor {
        try FileTree.openDirectory(root, isHome ? LongName.storedPath(for: path) : path)
    }

    /// The open parent of `path`, and the name that the item has there. Parents that are missing are made.
    private func place(of path: String) throws(Errno) -> (folder: Int32, name: String) {
        let place = path.directoryAndName
        let name = isHome ? LongName.stored(for: place.name) : place.name
        guard let above = place.directory else { return (root, name) }
        if let parentPath, parentPath.utf8.elementsEqual(above.utf8) { return (parent.raw, name) }
        do throws(Errno) {
            parent = SharedDescriptor(try openDirectory(above))
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
            // As deep as the path has parts: at most 2,048.
            try makeDirectory(above)
            parent = SharedDescriptor(try openDirectory(above))
        }
        parentPath = above
        return (parent.raw, name)
    }
}

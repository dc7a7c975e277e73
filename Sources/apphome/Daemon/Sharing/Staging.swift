internal import CLinux
internal import HomeTree
internal import Posix
internal import SystemPackage

/// The directory of a container in which changes are prepared, and removals finished: no view shows it, and a
/// rename from it or to it is one step for everybody.
struct Staging {
    let tree: HomeTree

    /// Opens it, and makes it where it is missing; the caller forgets the inode.
    func open() throws(Errno) -> InodeNumber {
        let tree = tree
        return try HomeTree.stagingName.withFileName { (name) throws(Errno) in
            do throws(Errno) {
                return try tree.lookup(name, in: tree.home).inode
            } catch {
                guard error == .noSuchFileOrDirectory else { throw error }
                return try tree.makeDirectory(name, in: tree.home, mode: 0o700, owner: .process).inode
            }
        }
    }

    /// Removes what an earlier daemon left. To be called before anybody uses the tree.
    func removeLeftovers() {
        let tree = tree
        try? HomeTree.stagingName.withFileName { (name) throws(Errno) in
            try TreeRemover(tree: tree).remove(name, in: tree.home)
        }
    }
}

extension FileOwner {
    /// Whom this process's own files belong to.
    static var process: FileOwner { FileOwner(uid: Process.effectiveUserID, gid: Process.effectiveGroupID) }
}

/// The tree's notion of an owner, under a name of its own.
typealias FileOwner = Owner

extension HomeTree {
    /// The names in a directory, without `.` and `..`.
    func names(in directory: InodeNumber) throws(Errno) -> [[CChar]] {
        let reader = try openDirectory(directory)
        var names: [[CChar]] = []
        try reader.read(from: 0) { (item) throws(Errno) in
            if !item.name.isDotOrDotDot { names.append(item.name.bytes.map { CChar(bitPattern: $0) } + [0]) }
            return true
        }
        return names
    }

    /// Runs `body` with what `name` is, and forgets it afterwards.
    func withItem<R>(
        _ name: FileName, in directory: InodeNumber, _ body: (Found) throws -> R
    ) throws -> R {
        let found = try lookup(name, in: directory)
        defer { forget(found.inode) }
        return try body(found)
    }

    /// Runs `body` with the app's Documents.
    func withDocuments<R>(_ body: (InodeNumber) throws -> R) throws -> R {
        let documents = try "Documents".withFileName { (name) throws(Errno) in try lookup(name, in: home) }
        defer { forget(documents.inode) }
        return try body(documents.inode)
    }
}

extension [CChar] {
    /// Runs `body` with these bytes, which end with NUL, as a file name.
    func withFileName<R>(_ body: (FileName) throws -> R) rethrows -> R {
        try withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return try "".withCString { try body(FileName($0)) } }
            return try body(FileName(start))
        }
    }
}

/// Removes an item with all that is in it.
struct TreeRemover {
    let tree: HomeTree

    func remove(_ name: FileName, in directory: InodeNumber) throws(Errno) {
        do {
            try remove(name, in: directory, depth: 0)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    private func remove(_ name: FileName, in directory: InodeNumber, depth: Int) throws {
        let isDirectory = try tree.withItem(name, in: directory) { found in
            guard ItemType(found.status.st_mode) == .directory else { return false }
            guard depth < FolderDepth.limit else { throw Errno.fileNameTooLong }
            for child in try tree.names(in: found.inode) {
                try child.withFileName { try remove($0, in: found.inode, depth: depth + 1) }
            }
            return true
        }
        if isDirectory {
            try tree.removeDirectory(name, in: directory)
        } else {
            try tree.removeFile(name, in: directory)
        }
    }
}

/// How deep folders may be nested that a command copies or removes whole: each level holds descriptors.
enum FolderDepth {
    static let limit = 256
}

/// The kinds of item that copying tells apart.
enum ItemType: Equatable {
    case file, directory, link, other

    /// - Parameter mode: as stat(2) gives it.
    init(_ mode: UInt32) {
        switch mode & 0o170000 {
        case 0o100000: self = .file
        case 0o040000: self = .directory
        case 0o120000: self = .link
        default: self = .other
        }
    }
}

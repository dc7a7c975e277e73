internal import CLinux
internal import HomeFiles
public import HomeTree
public import Posix
internal import SandboxRules
public import SystemPackage

/// What iTunes lets a person do with an app's Documents: list, get, put and remove top-level items (SPEC 5).
///
/// The gate (`UIFileSharingEnabled`) is the caller's matter.
public struct FileSharing {
    private let tree: HomeTree
    private let documents: InodeNumber

    /// One top-level item.
    public struct Item: Sendable {
        public let name: String
        public let isDirectory: Bool
        /// Of a file; 0 for a directory.
        public let sizeBytes: Int64
        /// Seconds since 1970.
        public let modified: Int64
    }

    /// Runs `body` with the sharing of the home in `tree`.
    /// - Throws: ENOENT where the container has no Documents.
    public static func with<R>(
        _ tree: HomeTree, _ body: (FileSharing) throws(Errno) -> R
    ) throws(Errno) -> R {
        let documents = try "Documents".withFileName { (name) throws(Errno) in
            try tree.lookup(name, in: tree.home).inode
        }
        defer { tree.forget(documents) }
        return try body(FileSharing(tree: tree, documents: documents))
    }

    /// The items, sorted by name.
    public func list() throws(Errno) -> [Item] {
        var items: [Item] = []
        for name in try tree.names(in: documents) {
            try name.withFileName { (name) throws(Errno) in
                guard let found = try? tree.lookup(name, in: documents) else { return }
                defer { tree.forget(found.inode) }
                guard SharingRule.isItem(name.bytes, kind: ItemKind(mode: found.status.st_mode)) else {
                    return
                }
                let isDirectory = found.status.isDirectory
                items.append(
                    Item(
                        name: try tree.shownName(of: name, in: documents), isDirectory: isDirectory,
                        sizeBytes: isDirectory ? 0 : Int64(found.status.st_size),
                        modified: Int64(found.status.st_mtim.tv_sec)))
            }
        }
        return items.sorted { $0.name < $1.name }
    }

    /// Copies an item, a directory whole, to `newName` in the directory `target`.
    /// - Throws: ENOENT where the view has no such item; EEXIST where the new name is taken, and nothing to
    ///   be replaced.
    public func get(
        _ name: String, to target: Int32, as newName: String, replaces: Bool = false, owner: Owner?,
        progress: CopyProgress = { _ in }
    ) throws(Errno) {
        try item(name) { (name) throws(Errno) in
            try newName.withFileName { (newName) throws(Errno) in
                try tree.copyOut(
                    name, in: documents, to: target, as: newName, replaces ? .anything : .nothing,
                    owner: owner, progress: progress)
            }
        }
    }

    /// How many bytes the item's files have; of a link 0.
    public func contentBytes(of name: String) throws(Errno) -> Int64 {
        var bytes: Int64 = 0
        try item(name) { (name) throws(Errno) in bytes = try tree.contentBytes(of: name, in: documents) }
        return bytes
    }

    /// Gives the bytes of an item that is a file, in order, to `body`.
    /// - Throws: ENOENT; EISDIR of a directory.
    public func read(_ name: String, _ body: ([UInt8]) throws(Errno) -> Void) throws(Errno) {
        try item(name) { (name) throws(Errno) in
            let found = try tree.lookup(name, in: documents)
            defer { tree.forget(found.inode) }
            if found.status.isDirectory { throw .isDirectory }
            try tree.readContents(of: found, body)
        }
    }

    /// Puts a file among the items. Atomic: an app that has open what it replaces keeps that.
    /// - Parameter replaces: whether it takes the place of a file of that name.
    /// - Throws: EEXIST where the name is taken otherwise; EISDIR onto a directory; EINVAL for a name that
    ///   the view could not show.
    public func put(
        _ source: Int32, as name: String, replaces: Bool = true, owner: Owner,
        progress: CopyProgress = { _ in }
    ) throws(Errno) {
        try refuse(name, unlessFree: !replaces)
        try name.withFileName { (name) throws(Errno) in
            try tree.place(
                source, as: name, in: documents, mode: 0o644, replaces: replaces, owner: owner,
                progress: progress)
        }
    }

    /// Puts a copy of a directory among the items, complete or not at all: see `HomeTree.placeDirectory`.
    /// - Parameter replaces: whether it takes the place of whatever has the name.
    /// - Returns: how many items were left out.
    /// - Throws: EEXIST; EINVAL for a name that the view could not show.
    public func putDirectory(
        _ source: Int32, as name: String, replaces: Bool, reader: Owner, owner: Owner,
        progress: CopyProgress = { _ in }
    ) throws(Errno) -> Int {
        try refuse(name, unlessFree: !replaces)
        return try name.withFileName { (name) throws(Errno) in
            try tree.placeDirectory(
                source, as: name, in: documents, replaces: replaces, reader: reader, owner: owner,
                progress: progress)
        }
    }

    /// "Open in…": puts a file into `Documents/Inbox`, under the name or the first free `name-2.ext`.
    /// - Returns: the name that it got.
    public func putInInbox(
        _ source: Int32, as name: String, owner: Owner, progress: CopyProgress = { _ in }
    ) throws(Errno) -> String {
        try refuseOddName(name)
        let inbox = try "Inbox".withFileName { (name) throws(Errno) in
            try tree.directory(name, in: documents, owner: owner)
        }
        defer { tree.forget(inbox) }
        return try tree.placeBeside(source, in: inbox, mode: 0o644, owner: owner, progress: progress) {
            Self.numbered(name, $0)
        }
    }

    /// Removes an item, a directory with all in it.
    public func remove(_ name: String) throws(Errno) {
        try item(name) { (name) throws(Errno) in try tree.discard(name, in: documents) }
    }

    /// Runs `body` with the name of something that the view shows.
    private func item(_ name: String, _ body: (FileName) throws(Errno) -> Void) throws(Errno) {
        try name.withFileName { (name) throws(Errno) in
            if name.isDotOrDotDot || name.bytes.contains(UInt8(ascii: "/")) { throw .invalidArgument }
            let found = try tree.lookup(name, in: documents)
            defer { tree.forget(found.inode) }
            guard SharingRule.isItem(name.bytes, kind: ItemKind(mode: found.status.st_mode)) else {
                throw .noSuchFileOrDirectory
            }
            try body(name)
        }
    }

    /// - Parameter unlessFree: whether a name that is taken is refused too: before the copy, and not after
    ///   it.
    private func refuse(_ name: String, unlessFree: Bool) throws(Errno) {
        try refuseOddName(name)
        let isTaken = try name.withFileName { (name) throws(Errno) in
            guard unlessFree, let found = try tree.peek(name, in: documents) else { return false }
            tree.forget(found.inode)
            return true
        }
        if isTaken { throw .fileExists }
    }

    private func refuseOddName(_ name: String) throws(Errno) {
        if name.isEmpty || name.hasPrefix(".") || name.utf8.contains(UInt8(ascii: "/")) {
            throw .invalidArgument
        }
    }

    /// `Report.pdf`, `Report-2.pdf`, `Report-3.pdf`, as iOS does it.
    static func numbered(_ name: String, _ attempt: Int) -> String {
        if attempt == 1 { return name }
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "\(name)-\(attempt)" }
        return "\(name[..<dot])-\(attempt)\(name[dot...])"
    }
}

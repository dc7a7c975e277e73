internal import CLinux
internal import HomeTree
internal import Posix
internal import SystemPackage

/// What iTunes lets a person do with an app's Documents: list, and remove. Copying is in `CopyOut` and `CopyIn`.
struct SharedDocuments {
    let tree: HomeTree

    /// The items of the view: top-level files and directories without a dot in front.
    func list() throws -> [SharedItem] {
        try tree.withDocuments { documents in
            var items: [SharedItem] = []
            for name in try tree.names(in: documents) {
                // Gone since it was listed: no item.
                guard let item = try? name.withFileName({ try self.item($0, in: documents) }) else { continue }
                items.append(item)
            }
            return items.sorted { $0.name < $1.name }
        }
    }

    /// - Throws: ENOENT for what the view does not show.
    private func item(_ name: FileName, in documents: InodeNumber) throws -> SharedItem {
        try tree.withItem(name, in: documents) { found in
            let type = ItemType(found.status.st_mode)
            guard name.cString[0] != 0x2e, type == .file || type == .directory else {
                throw Errno.noSuchFileOrDirectory
            }
            return SharedItem(
                name: name.text, kind: type == .file ? "file" : "directory",
                size: type == .file ? Int64(found.status.st_size) : 0,
                modified: Double(found.status.st_mtim.tv_sec) + Double(found.status.st_mtim.tv_nsec) / 1e9)
        }
    }

    /// Removes an item, a directory whole: it is gone at once, and its contents after that.
    func remove(_ name: String) throws {
        let staging = try Staging(tree: tree).open()
        defer { tree.forget(staging) }
        let aside = StagedName.next()
        try tree.withDocuments { documents in
            try name.withFileName { (name) throws(Errno) in
                try aside.withFileName { (aside) throws(Errno) in
                    try tree.rename(name, in: documents, to: aside, in: staging)
                }
            }
        }
        try aside.withFileName { (aside) throws(Errno) in try TreeRemover(tree: tree).remove(aside, in: staging) }
    }
}

/// Names in a staging directory, never the same twice in one daemon.
enum StagedName {
    private static let counter = Lock<UInt64>(0)

    static func next() -> String {
        let number = counter.withLock { counter -> UInt64 in
            counter += 1
            return counter
        }
        return "item-\(number)"
    }
}

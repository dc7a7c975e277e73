internal import HomeFiles
internal import HomeTree
internal import Posix
internal import SystemPackage

extension HomeTree {
    /// Runs `body` with a directory that these names lead to from the home.
    /// - Throws: ENOENT; ENOTDIR where something else leads there.
    func withDirectory(
        at names: [String], _ body: (InodeNumber) throws(Errno) -> Void
    ) throws(Errno) {
        var directory = home
        var held: [InodeNumber] = []
        defer { for inode in held { forget(inode) } }
        for step in names {
            let parent = directory
            directory = try step.withFileName { (name) throws(Errno) in
                try lookup(name, in: parent).inode
            }
            held.append(directory)
        }
        try body(directory)
    }

    /// - Throws: ENOTDIR where it is none.
    func requireDirectory(_ inode: InodeNumber) throws(Errno) {
        _ = try openDirectory(inode)
    }

    /// Removes an item of the home, a directory with all in it, by its path.
    /// - Throws: ENOENT, or what rename(2) and unlink(2) answer.
    func discard(_ name: String, below names: [String]) throws(Errno) {
        try withDirectory(at: names) { (directory) throws(Errno) in
            try name.withFileName { (name) throws(Errno) in try discard(name, in: directory) }
        }
    }
}

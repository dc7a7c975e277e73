internal import CLinux
internal import HomeTree
package import SyncContent
internal import SystemPackage

/// What was displaced from one name may have others, and is still written through those.
extension HomeDisk {
    package func isKeptBack(_ displaced: Displaced) throws(LocalError) -> Bool {
        let state = try withDisplaced(displaced.name) { (found) throws(LocalError) in
            try LocalError.from { () throws(Errno) in
                // The flag is the file's: it stays when the name that it was set through is removed.
                (
                    isFlagged: try tree.appleAttributes(of: found.inode).isFlagged,
                    hasOthers: found.status.st_nlink > 1
                )
            }
        }
        guard let state else { return false }
        if state.isFlagged { return true }
        guard state.hasOthers else { return false }
        let paths = try paths(ofBacking: displaced.fingerprint.inode)
        for path in paths {
            guard let seen = try glance(at: path) else { throw .changed }
            if !seen.isExcluded { return false }
        }
        return !paths.isEmpty
    }

    /// Where a file lies in Documents. It is linked in staging, so no other file has its number.
    private func paths(ofBacking number: UInt64) throws(LocalError) -> [LocalPath] {
        var found: [LocalPath] = []
        tree.retain(documents)
        var waiting = [(inode: documents, path: LocalPath())]
        defer { for directory in waiting { tree.forget(directory.inode) } }
        while let directory = waiting.popLast() {
            defer { tree.forget(directory.inode) }
            // What only another user may list is his.
            guard let entries = try? tree.backingNumbers(in: directory.inode) else { continue }
            for entry in entries where entry.isDirectory || entry.inode == number {
                guard let name = String(validating: entry.name, as: UTF8.self) else { continue }
                let path = directory.path.appending(name)
                if !entry.isDirectory {
                    found.append(path)
                } else if let item = try peek(entry.name, in: directory.inode) {
                    waiting.append((item.inode, path))
                }
            }
        }
        return found
    }
}

internal import HomeTree
internal import Posix
package import SyncContent
internal import SystemPackage

/// What lies in the home beside Documents, for one question: was what is gone from there only moved?
extension HomeDisk {
    package func departed(_ gone: [Fingerprint]) throws(LocalError) -> Set<Fingerprint> {
        let numbers = Dictionary(grouping: gone, by: \.inode)
        var found: Set<Fingerprint> = []
        tree.retain(tree.home)
        var waiting = [tree.home]
        defer { for directory in waiting { tree.forget(directory) } }
        while let directory = waiting.popLast() {
            defer { tree.forget(directory) }
            // What only another user may list is his.
            guard let entries = try? tree.backingNumbers(in: directory) else { continue }
            for entry in entries where entry.isDirectory || numbers[entry.inode] != nil {
                guard let item = try peek(entry.name, in: directory) else { continue }
                defer { tree.forget(item.inode) }
                guard item.inode != documents else { continue }
                for fingerprint in numbers[entry.inode] ?? [] where try isSame(fingerprint, item.inode) {
                    found.insert(fingerprint)
                }
                if item.status.isDirectory {
                    tree.retain(item.inode)
                    waiting.append(item.inode)
                }
            }
        }
        return found
    }

    /// Nil where it went meanwhile.
    func peek(_ name: [UInt8], in directory: InodeNumber) throws(LocalError) -> Found? {
        guard let name = String(validating: name, as: UTF8.self) else { return nil }
        do throws(LocalError) {
            return try withName(name) { (name) throws(Errno) in try tree.peek(name, in: directory) }
        } catch {
            if error == .gone { return nil }
            throw error
        }
    }

    /// A number alone is given again at once.
    private func isSame(_ fingerprint: Fingerprint, _ inode: InodeNumber) throws(LocalError) -> Bool {
        guard fingerprint.birth != 0 else { return false }
        let stamp = try LocalError.from { () throws(Errno) in try tree.stamp(of: inode) }
        return Fingerprint(stamp).isSameInode(as: fingerprint)
    }
}

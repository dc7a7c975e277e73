internal import CLinux
public import HomeTree
internal import Posix
public import SystemPackage

extension HomeTree {
    /// Removes what is in a directory, item by item, each seen to be gone through every mount.
    ///
    /// What cannot be removed (somebody else's directory) stays, and the rest goes.
    /// - Parameter goesOn: asked before each item.
    /// - Returns: the bytes on the disk that became free, as far as no program holds them open; and how many
    ///   items are left.
    public func empty(
        _ directory: InodeNumber, while goesOn: () -> Bool
    ) throws(Errno) -> (freedBytes: Int64, leftItems: Int) {
        let names = try names(in: directory)
        var freedBytes: Int64 = 0
        var leftItems = 0
        for name in names {
            guard goesOn() else {
                leftItems += 1
                continue
            }
            do throws(Errno) {
                freedBytes += try name.withFileName { (name) throws(Errno) in
                    try discardCounting(name, in: directory)
                }
            } catch {
                if error != .noSuchFileOrDirectory { leftItems += 1 }
            }
        }
        return (freedBytes, leftItems)
    }

    /// The paths of what lies below a directory, from there, the upper levels first; not of what is mounted
    /// there.
    /// - Parameter most: no more than so many.
    public func paths(below directory: InodeNumber, most: Int) -> [String] {
        var paths: [String] = []
        var rest = [(directory: directory, prefix: "")]
        var next = 0
        while next < rest.count {
            let (level, prefix) = rest[next]
            next += 1
            defer { if level != directory { forget(level) } }
            guard paths.count < most else { continue }
            for name in ((try? names(in: level)) ?? []).prefix(most - paths.count) {
                guard let found = try? name.withFileName({ (name) in try lookup(name, in: level) }) else {
                    continue
                }
                let path = prefix + name.withFileName { $0.text }
                paths.append(path)
                if found.status.isDirectory, (try? isMount(found.inode)) == false {
                    rest.append((found.inode, path + "/"))
                } else {
                    forget(found.inode)
                }
            }
        }
        return paths
    }

    /// The bytes on the disk that `empty` would free, as far as they can be counted.
    public func bytesOnDisk(below directory: InodeNumber) -> Int64 {
        var bytes: Int64 = 0
        var rest = [directory]
        while let level = rest.popLast() {
            defer { if level != directory { forget(level) } }
            for name in (try? names(in: level)) ?? [] {
                guard let found = try? name.withFileName({ (name) in try lookup(name, in: level) }) else {
                    continue
                }
                // What is mounted there is none of the home's.
                if found.status.isDirectory, (try? isMount(found.inode)) == false {
                    bytes += found.blockBytes
                    rest.append(found.inode)
                } else {
                    if !found.status.isDirectory { bytes += found.blockBytes }
                    forget(found.inode)
                }
            }
        }
        return bytes
    }
}

extension Found {
    /// What the file system gets back when this name goes.
    var blockBytes: Int64 {
        status.isDirectory || status.st_nlink <= 1 ? Int64(status.st_blocks) * 512 : 0
    }
}

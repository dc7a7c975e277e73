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
}

extension Found {
    /// What the file system gets back when this name goes.
    var blockBytes: Int64 {
        status.isDirectory || status.st_nlink <= 1 ? Int64(status.st_blocks) * 512 : 0
    }
}

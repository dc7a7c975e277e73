internal import CLinux
public import FuseKit
internal import HomeTree
internal import Posix
public import SystemPackage

extension HomeFileSystem {
    /// The offset after the bundle, which is listed last; no backing file system gives it.
    private static let endOffset = Int64.max

    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        if offset == Self.endOffset { return directories.end(handle, of: node) }
        let isTop = isHome(node)
        let isWhole = try listAll(node, handle: handle, from: offset, into: &listing, for: caller) { item in
            !isTop || !isHidden(item.name)
        }
        guard isTop, isWhole, let bundle else { return }
        // Where it finds no room it comes first the next time: behind the offset of the last name is nothing.
        _ = try bundle.name.withFileName { (name) throws(Errno) in
            guard listing.wantsEntries else {
                let status = try tree.attributes(of: bundle.inode)
                return listing.add(
                    name, inode: UInt64(status.st_ino), mode: status.st_mode, next: Self.endOffset)
            }
            return listing.add(name, try lookup(name, in: root, for: caller), next: Self.endOffset)
        }
    }
}

internal import CLinux
public import FuseKit
internal import HomeTree
internal import Posix
public import SystemPackage

extension HomeFileSystem {
    public func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {
        if isHome(node) { return try listTopLevel(handle, from: offset, into: &listing, for: caller) }
        try listAll(node, handle: handle, from: offset, into: &listing, for: caller)
    }

    /// The home's own names are few: they are gathered for each request, and their positions are offsets.
    private func listTopLevel(
        _ handle: HandleKey, from offset: Int64, into listing: inout Listing, for caller: Caller
    ) throws(Errno) {
        var next = offset
        for item in try topLevelItems(handle).dropFirst(Int(offset)) {
            next += 1
            let fits = try item.name.withFileName { (name) throws(Errno) -> Bool in
                guard listing.wantsEntries, !name.isDotOrDotDot else {
                    return listing.add(name, inode: item.inode, mode: item.mode, next: next)
                }
                return listing.add(name, try lookup(name, in: root, for: caller), next: next)
            }
            if !fits { return }
        }
    }

    private func topLevelItems(_ handle: HandleKey) throws(Errno) -> [(
        name: String, inode: UInt64, mode: UInt32
    )] {
        var items: [(name: String, inode: UInt64, mode: UInt32)] = []
        defer { directories.end(handle, of: root) }
        try directories.reader(handle, of: root, in: tree).read(from: 0) { (item) throws(Errno) in
            if !isHidden(item.name) { items.append((item.name.text, item.inode, item.mode)) }
            return true
        }
        if let bundle {
            let status = try tree.attributes(of: bundle.inode)
            items.append((bundle.name, UInt64(status.st_ino), status.st_mode))
        }
        return items
    }
}

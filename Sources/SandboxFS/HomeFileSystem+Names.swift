internal import CLinux
public import FuseKit
internal import HomeTree
public import Posix
internal import SandboxRules
public import SystemPackage

/// Creating, removing and renaming: the rule first, then the tree.
extension HomeFileSystem {
    public func makeNode(
        _ name: FileName, in directory: NodeKey, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuse(.create, name, isDirectory: false, in: directory, for: caller)
        return made(
            try tree.makeNode(name, in: InodeNumber(directory), mode: mode, owner: Owner(caller)), name,
            in: directory)
    }

    public func makeDirectory(
        _ name: FileName, in directory: NodeKey, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuse(.create, name, isDirectory: true, in: directory, for: caller)
        return made(
            try tree.makeDirectory(name, in: InodeNumber(directory), mode: mode, owner: Owner(caller)), name,
            in: directory)
    }

    public func makeLink(
        to target: UnsafePointer<CChar>, _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuse(.create, name, isDirectory: false, in: directory, for: caller)
        return made(
            try tree.makeSymlink(to: target, name, in: InodeNumber(directory), owner: Owner(caller)), name,
            in: directory)
    }

    public func link(
        _ node: NodeKey, as name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try refuseLinking(node, for: caller)
        try refuse(.linkTo, name, isDirectory: false, in: directory, for: caller)
        return made(
            try tree.link(InodeNumber(node), as: name, in: InodeNumber(directory)), name, in: directory)
    }

    /// The entry of an item that has got this name.
    private func made(_ found: Found, _ name: FileName, in directory: NodeKey) -> Entry {
        announce((name, directory), contents: found.inode)
        return entry(found, name)
    }

    public func removeFile(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        try refuse(.remove, name, isDirectory: false, in: directory, for: caller)
        let inode = try tree.removeFile(name, in: InodeNumber(directory), by: Asker(caller))
        announce((name, directory), contents: inode)
    }

    public func removeDirectory(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        try refuse(.remove, name, isDirectory: true, in: directory, for: caller)
        let inode = try tree.removeDirectory(name, in: InodeNumber(directory), by: Asker(caller))
        announce((name, directory), contents: inode)
    }

    public func rename(
        _ name: FileName, in directory: NodeKey, to newName: FileName, in newDirectory: NodeKey,
        flags: UInt32, for caller: Caller
    ) throws(Errno) {
        let isExchange = flags & lx_rename_exchange != 0
        // The kind of neither item is known here. It decides only at the home's top level, where no rename is
        // allowed: as a directory an item is refused by the rule for the name that it has or would get.
        try refuse(isExchange ? .exchange : .renameFrom, name, isDirectory: true, in: directory, for: caller)
        try refuse(
            isExchange ? .exchange : .renameTo, newName, isDirectory: true, in: newDirectory, for: caller)
        let touched = try tree.rename(
            name, in: InodeNumber(directory), to: newName, in: InodeNumber(newDirectory), flags: flags,
            by: Asker(caller))
        announce((name, directory), (newName, newDirectory), contents: touched.moved, touched.other)
    }

    public func setAttributes(
        _ changes: AttributeChanges, of node: NodeKey, handle: HandleKey?, for caller: Caller
    ) throws(Errno) -> Attributes {
        let takesWriting = handle == nil && changes.sizeBytes != nil
        try refuseModifying(node, "change attributes", takesWriting: takesWriting, for: caller)
        let status = try tree.change(changes, of: InodeNumber(node), handle: handle.map { FileHandle($0) })
        announce(contents: InodeNumber(node))
        return attributes(status, of: InodeNumber(node))
    }

    public func setExtendedAttribute(
        _ name: FileName, to value: UnsafeRawBufferPointer, of node: NodeKey, flags: Int32, for caller: Caller
    ) throws(Errno) {
        try tree.refuseGrowth()
        try withSettable(name, of: node, for: caller) { (backing) throws(Errno) in
            try tree.setExtendedAttribute(
                backingName: backing, to: value, of: InodeNumber(node), flags: flags)
        }
    }

    public func removeExtendedAttribute(
        _ name: FileName, of node: NodeKey, for caller: Caller
    ) throws(Errno) {
        try withSettable(name, of: node, for: caller) { (backing) throws(Errno) in
            try tree.removeExtendedAttribute(backingName: backing, of: InodeNumber(node))
        }
    }

    private func withSettable(
        _ name: FileName, of node: NodeKey, for caller: Caller,
        _ body: (UnsafePointer<CChar>) throws(Errno) -> Void
    ) throws(Errno) {
        try refuseModifying(node, "set an extended attribute", for: caller)
        try refuseAccessLists(name)
        switch AttributeName.standing(of: name.bytes) {
        case .own, .status: throw .notPermitted
        case .ordinary, .apple:
            try AttributeName.withBackingName(of: name.bytes, body)
            announce(contents: InodeNumber(node))
        }
    }
}

public import FuseKit
public import Posix
public import SystemPackage

/// Names and attributes: each part has its own, and the view's own stay as they are.
extension CompositeFileSystem {
    public func makeNode(
        _ name: FileName, in directory: NodeKey, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        try withPart(of: directory) { (part, node) throws(Errno) in
            let made = try part.fileSystem.makeNode(name, in: node, mode: mode, device: device, for: caller)
            return try entry(made, of: part)
        }
    }

    public func makeDirectory(
        _ name: FileName, in directory: NodeKey, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry {
        try withPart(of: directory) { (part, node) throws(Errno) in
            try entry(
                try part.fileSystem.makeDirectory(name, in: node, mode: mode, for: caller), of: part)
        }
    }

    public func makeLink(
        to target: UnsafePointer<CChar>, _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try withPart(of: directory) { (part, node) throws(Errno) in
            try entry(try part.fileSystem.makeLink(to: target, name, in: node, for: caller), of: part)
        }
    }

    public func link(
        _ node: NodeKey, as name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry {
        try withPart(of: directory) { (part, directory) throws(Errno) in
            let item = try self.item(node, of: part)
            return try entry(
                try part.fileSystem.link(item, as: name, in: directory, for: caller), of: part)
        }
    }

    public func removeFile(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        try withPart(of: directory) { (part, node) throws(Errno) in
            try part.fileSystem.removeFile(name, in: node, for: caller)
        }
    }

    public func removeDirectory(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        try withPart(of: directory) { (part, node) throws(Errno) in
            try part.fileSystem.removeDirectory(name, in: node, for: caller)
        }
    }

    public func rename(
        _ name: FileName, in directory: NodeKey, to newName: FileName, in newDirectory: NodeKey,
        flags: UInt32, for caller: Caller
    ) throws(Errno) {
        try withPart(of: directory) { (part, node) throws(Errno) in
            let target = try item(newDirectory, of: part)
            try part.fileSystem.rename(
                name, in: node, to: newName, in: target, flags: flags, for: caller)
        }
    }

    public func setAttributes(
        _ changes: AttributeChanges, of node: NodeKey, handle: HandleKey?, for caller: Caller
    ) throws(Errno) -> Attributes {
        try withPart(of: node) { (part, item) throws(Errno) in
            var changed = try part.fileSystem.setAttributes(changes, of: item, handle: handle, for: caller)
            changed.seconds = 0
            return changed
        }
    }

    public func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        guard case .item(let part, let item) = try nodes.content(of: node) else { throw .noData }
        return try part.fileSystem.extendedAttribute(name, of: item, into: buffer, for: caller)
    }

    public func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int {
        guard case .item(let part, let item) = try nodes.content(of: node) else { return 0 }
        return try part.fileSystem.extendedAttributeNames(of: item, into: buffer, for: caller)
    }

    public func setExtendedAttribute(
        _ name: FileName, to value: UnsafeRawBufferPointer, of node: NodeKey, flags: Int32, for caller: Caller
    ) throws(Errno) {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.setExtendedAttribute(name, to: value, of: item, flags: flags, for: caller)
        }
    }

    public func removeExtendedAttribute(
        _ name: FileName, of node: NodeKey, for caller: Caller
    ) throws(Errno) {
        try withPart(of: node) { (part, item) throws(Errno) in
            try part.fileSystem.removeExtendedAttribute(name, of: item, for: caller)
        }
    }

    /// - Throws: EXDEV where the node is not of this part.
    private func item(_ node: NodeKey, of part: CompositePart) throws(Errno) -> NodeKey {
        guard case .item(let other, let item) = try nodes.content(of: node), other === part else {
            throw .improperLink
        }
        return item
    }
}

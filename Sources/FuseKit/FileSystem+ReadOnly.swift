public import Posix
public import SystemPackage

extension FileSystem {
    public func isSlow(at node: NodeKey) -> Bool { false }
    public var delaysLookups: Bool { false }
    public func delay(
        lookup name: FileName, in directory: NodeKey, until later: @escaping @Sendable () -> Void
    ) -> Bool { false }
    public func isSlow(attribute name: FileName, of node: NodeKey) -> Bool { false }
    public var keepsListings: Bool { false }
    public func checkAccess(_ mode: Int32, to node: NodeKey, for caller: Caller) throws(Errno) {
        throw .noFunction
    }
}

/// What a read-only file system answers to every change.
extension FileSystem {
    public func start(_ passthrough: Passthrough) throws(PassthroughRefusal) {
        throw .notUsed
    }

    public func setAttributes(
        _ changes: AttributeChanges, of node: NodeKey, handle: HandleKey?, for caller: Caller
    ) throws(Errno) -> Attributes { throw .readOnlyFileSystem }

    public func makeNode(
        _ name: FileName, in directory: NodeKey, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry { throw .readOnlyFileSystem }

    public func makeDirectory(
        _ name: FileName, in directory: NodeKey, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry { throw .readOnlyFileSystem }

    public func makeLink(
        to target: UnsafePointer<CChar>, _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry { throw .readOnlyFileSystem }

    public func link(
        _ node: NodeKey, as name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry { throw .readOnlyFileSystem }

    public func removeFile(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        throw .readOnlyFileSystem
    }

    public func removeDirectory(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        throw .readOnlyFileSystem
    }

    public func rename(
        _ name: FileName, in directory: NodeKey, to newName: FileName, in newDirectory: NodeKey,
        flags: UInt32, for caller: Caller
    ) throws(Errno) { throw .readOnlyFileSystem }

    public func create(
        _ name: FileName, in directory: NodeKey, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> (Entry, Opened) { throw .readOnlyFileSystem }

    public func write(
        _ bytes: WriteBuffer, to node: NodeKey, handle: HandleKey, offset: Int64?, stripsPrivileges: Bool
    ) throws(Errno) -> Int { throw .readOnlyFileSystem }

    public func allocate(
        _ node: NodeKey, handle: HandleKey, mode: Int32, offset: Int64, sizeBytes: Int64, for caller: Caller
    ) throws(Errno) { throw .readOnlyFileSystem }

    public func copyRange(
        from source: HandleKey, offset: Int64, to node: NodeKey, handle: HandleKey, offset newOffset: Int64,
        sizeBytes: Int, for caller: Caller
    ) throws(Errno) -> Int { throw .readOnlyFileSystem }

    public func setExtendedAttribute(
        _ name: FileName, to value: UnsafeRawBufferPointer, of node: NodeKey, flags: Int32, for caller: Caller
    ) throws(Errno) { throw .readOnlyFileSystem }

    public func removeExtendedAttribute(
        _ name: FileName, of node: NodeKey, for caller: Caller
    ) throws(Errno) { throw .readOnlyFileSystem }

    /// Nothing was written, so nothing can fail late: a kernel that hears this asks at no close any more.
    public func flush(_ node: NodeKey, handle: HandleKey) throws(Errno) { throw .noFunction }
    public func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {}
    public func syncDirectory(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) {}
}

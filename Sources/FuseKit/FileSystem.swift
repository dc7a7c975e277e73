public import CLinux
public import Posix
public import SystemPackage

/// The file system's own number for an inode. FuseKit hands it back as it got it. Numbers below 2^31 are best
/// given densely; of the others there may be any, and few.
public struct NodeKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// The file system's own number for an open file or directory.
public struct HandleKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// The credentials of the program that made a request.
public struct Caller: Sendable {
    public let uid: UInt32
    public let gid: UInt32
    /// The number of its thread, for people to read: no rights rest on it. 0 where it is not known.
    public let thread: Int32

    public init(uid: UInt32, gid: UInt32, thread: Int32) {
        self.uid = uid
        self.gid = gid
        self.thread = thread
    }
}

/// What a name stands for, and how long the kernel may believe it.
public struct Entry {
    /// nil: nothing has this name, and the kernel may remember that for `entrySeconds`.
    public var node: NodeKey?
    public var generation: UInt64
    public var status: stat
    public var entrySeconds: Double
    public var attributeSeconds: Double

    public init(
        node: NodeKey?, generation: UInt64, status: stat, entrySeconds: Double, attributeSeconds: Double
    ) {
        self.node = node
        self.generation = generation
        self.status = status
        self.entrySeconds = entrySeconds
        self.attributeSeconds = attributeSeconds
    }
}

/// The attributes of an inode, and how long the kernel may believe them.
public struct Attributes {
    public var status: stat
    public var seconds: Double

    public init(status: stat, seconds: Double) {
        self.status = status
        self.seconds = seconds
    }
}

extension Entry {
    /// The kernel is to ask again each time.
    public init(node: NodeKey, generation: UInt64, _ attributes: Attributes) {
        self.init(
            node: node, generation: generation, status: attributes.status, entrySeconds: 0,
            attributeSeconds: 0)
    }
}

/// An open file, and how the kernel is to treat it.
public struct Opened {
    public var handle: HandleKey
    public var mode: IOMode
    /// With `.cached`: what is cached from earlier is true.
    public var keepsCache: Bool
    /// With `.passthrough`: reads and writes of this handle are requests nevertheless; its mappings are not.
    public var isDirect: Bool

    public init(handle: HandleKey, mode: IOMode, keepsCache: Bool = false, isDirect: Bool = false) {
        self.handle = handle
        self.mode = mode
        self.keepsCache = keepsCache
        self.isDirect = isDirect
    }
}

/// Bytes of one WRITE: in memory, valid during the call.
public typealias WriteBuffer = UnsafeRawBufferPointer

/// What a file system answers to the kernel; FuseKit calls it from several threads at once.
///
/// Every method answers at once or throws the errno for the caller. `read` owns its reply, because bytes
/// may have to come from elsewhere first. A method that the file system leaves out answers as a
/// read-only file system does.
public protocol FileSystem: AnyObject, Sendable {
    /// The inode at the mount point. FuseKit never forgets it.
    var root: NodeKey { get }

    /// The kernel has agreed to passthrough: from now on opened files may use it.
    /// - Throws: why the file system makes no use of it, as a person is told.
    func start(_ passthrough: Passthrough) throws(PassthroughRefusal)

    /// Finds `name`. Each answer with a node counts as one reference, which `forget` gives back.
    func lookup(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) -> Entry
    /// Whether some look-ups have to wait now. False where the file system does not say.
    var delaysLookups: Bool { get }
    /// Keeps a look-up for later, where it has to wait.
    /// - Parameter later: looks it up and answers; to be called once, on any thread, before the session ends.
    /// - Returns: false where it need not wait, and `later` will not be called.
    func delay(
        lookup name: FileName, in directory: NodeKey, until later: @escaping @Sendable () -> Void
    ) -> Bool
    /// Gives `count` references back.
    func forget(_ node: NodeKey, count: Int)

    func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes
    func setAttributes(
        _ changes: AttributeChanges, of node: NodeKey, handle: HandleKey?, for caller: Caller
    ) throws(Errno) -> Attributes
    /// Writes the link's target, without NUL, and returns its length in bytes.
    func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int

    func makeNode(
        _ name: FileName, in directory: NodeKey, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry
    func makeDirectory(
        _ name: FileName, in directory: NodeKey, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry
    func makeLink(
        to target: UnsafePointer<CChar>, _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry
    func link(
        _ node: NodeKey, as name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry
    func removeFile(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno)
    func removeDirectory(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno)
    /// `flags`: RENAME_NOREPLACE, RENAME_EXCHANGE.
    func rename(
        _ name: FileName, in directory: NodeKey, to newName: FileName, in newDirectory: NodeKey,
        flags: UInt32, for caller: Caller
    ) throws(Errno)

    /// `flags`: of open(2). `stripsPrivileges`: O_TRUNC by a caller that may not keep suid and sgid.
    func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened
    func create(
        _ name: FileName, in directory: NodeKey, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> (Entry, Opened)
    func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply)
    /// Writes at `offset`, nil for the end of the file. Returns the bytes written.
    func write(
        _ bytes: WriteBuffer, to node: NodeKey, handle: HandleKey, offset: Int64?, stripsPrivileges: Bool
    ) throws(Errno) -> Int
    /// One close(2) of possibly several on this handle.
    func flush(_ node: NodeKey, handle: HandleKey) throws(Errno)
    func release(_ node: NodeKey, handle: HandleKey)
    func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno)
    func allocate(
        _ node: NodeKey, handle: HandleKey, mode: Int32, offset: Int64, sizeBytes: Int64, for caller: Caller
    ) throws(Errno)
    func seek(_ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32) throws(Errno) -> Int64
    func copyRange(
        from source: HandleKey, offset: Int64, to node: NodeKey, handle: HandleKey, offset newOffset: Int64,
        sizeBytes: Int, for caller: Caller
    ) throws(Errno) -> Int

    /// What access(2) and chdir(2) ask; only where the kernel does not check that itself.
    /// - Parameter mode: R_OK, W_OK and X_OK of access(2), together.
    /// - Throws: EACCES; ENOSYS to permit all.
    func checkAccess(_ mode: Int32, to node: NodeKey, for caller: Caller) throws(Errno)

    /// Whether the kernel may keep the listing of a directory that was opened, until an invalidation. False
    /// where the file system does not say.
    var keepsListings: Bool { get }
    /// What is opened here, the kernel lists anew each time, unless `keepsListings`.
    /// - Throws: ENOSYS to have directories listed with handle 0, never opened or released, and listings kept
    ///   until an invalidation.
    func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey
    /// Adds entries from `offset` on (0: the start) until `listing` is full or the directory ends.
    func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno)
    func releaseDirectory(_ node: NodeKey, handle: HandleKey)
    func syncDirectory(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno)

    func statistics(of node: NodeKey) throws(Errno) -> statvfs

    /// Writes the value and returns its length; an empty buffer asks for the length only.
    /// - Throws: ERANGE where the buffer is too small.
    func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int
    /// Whether looking at a node, or at what a directory holds, may wait, for a network or the like: it is
    /// then asked for where nobody else waits behind it. Takes no lock that somebody may hold for long. False
    /// where the file system does not say.
    func isSlow(at node: NodeKey) -> Bool
    /// Whether that attribute is computed by work that may wait for a disk: it is then asked for where nobody
    /// else waits behind it. False where the file system does not say.
    func isSlow(attribute name: FileName, of node: NodeKey) -> Bool
    /// The names, each with its NUL; otherwise as `extendedAttribute`.
    func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int
    /// `flags`: XATTR_CREATE, XATTR_REPLACE.
    func setExtendedAttribute(
        _ name: FileName, to value: UnsafeRawBufferPointer, of node: NodeKey, flags: Int32, for caller: Caller
    ) throws(Errno)
    func removeExtendedAttribute(_ name: FileName, of node: NodeKey, for caller: Caller) throws(Errno)
}

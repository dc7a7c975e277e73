import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit

/// A file system of one file, whose answers a test chooses.
final class OneFile: FileSystem {
    let root = NodeKey(rawValue: 7)
    private let file = NodeKey(rawValue: 8)
    let forgotten = Gate<[NodeKey: Int]>([:])
    let heldCount = Gate(0)
    let maySync = Gate(false)
    private let looksSlowly: Bool
    private let opensDirectories: Bool

    private func status(of node: NodeKey) -> stat {
        var status = stat()
        status.st_mode = node == root ? S_IFDIR | 0o755 : S_IFREG | 0o644
        status.st_ino = UInt(node.rawValue)
        status.st_nlink = 1
        status.st_size = node == root ? 0 : contents?.count ?? 10
        status.st_uid = geteuid()
        return status
    }

    func isSlow(at node: NodeKey) -> Bool { looksSlowly }

    func lookup(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) -> Entry {
        if name.text == "slow" { wait() }
        guard name.text == "file" else { throw .noSuchFileOrDirectory }
        return Entry(
            node: file, generation: 1, status: status(of: file), entrySeconds: 0, attributeSeconds: 0)
    }
    func forget(_ node: NodeKey, count: Int) { forgotten.update { $0[node, default: 0] += count } }
    func attributes(of node: NodeKey, handle: HandleKey?) throws(Errno) -> Attributes {
        Attributes(status: status(of: node), seconds: 0)
    }
    func readLink(_ node: NodeKey, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
        throw .invalidArgument
    }
    func open(
        _ node: NodeKey, flags: Int32, stripsPrivileges: Bool, for caller: Caller
    ) throws(Errno) -> Opened { Opened(handle: HandleKey(rawValue: 1), mode: .direct) }
    /// What reads are answered with, each from a thread of its own; nil: the reply is dropped.
    let contents: [UInt8]?
    let mayRead = Gate(true)

    init(contents: [UInt8]? = nil, isSlow: Bool = false, opensDirectories: Bool = true) {
        self.opensDirectories = opensDirectories
        self.contents = contents
        looksSlowly = isSlow
    }

    func read(
        _ node: NodeKey, handle: HandleKey, sizeBytes: Int, offset: Int64, reply: consuming ReadReply
    ) {
        guard let contents else { return }
        reply.keep()
        let later = LaterReply(reply)
        heldCount.update { $0 += 1 }
        let thread = try? NativeThread(name: "later") { [mayRead] in
            _ = mayRead.wait { $0 ? true : nil }
            later.answer(Array(contents.dropFirst(Int(offset)).prefix(sizeBytes)))
        }
        thread?.detach()
    }
    func release(_ node: NodeKey, handle: HandleKey) {}
    func sync(_ node: NodeKey, handle: HandleKey, dataOnly: Bool) throws(Errno) { wait() }

    /// Until the test lets it go on.
    private func wait() {
        heldCount.update { $0 += 1 }
        _ = maySync.wait { $0 ? true : nil }
    }
    func seek(_ node: NodeKey, handle: HandleKey, offset: Int64, whence: Int32) throws(Errno) -> Int64 { 0 }
    func openDirectory(_ node: NodeKey, for caller: Caller) throws(Errno) -> HandleKey {
        guard opensDirectories else { throw .noFunction }
        return HandleKey(rawValue: 2)
    }
    func list(
        _ node: NodeKey, handle: HandleKey, from offset: Int64, into listing: inout Listing,
        for caller: Caller
    ) throws(Errno) {}
    func releaseDirectory(_ node: NodeKey, handle: HandleKey) {}
    func statistics(of node: NodeKey) throws(Errno) -> statvfs { statvfs() }
    func extendedAttribute(
        _ name: FileName, of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int { throw .noData }
    func extendedAttributeNames(
        of node: NodeKey, into buffer: UnsafeMutableRawBufferPointer, for caller: Caller
    ) throws(Errno) -> Int { 0 }
}

/// A reply for another thread.
// Unchecked: one thread has it, then one other.
private final class LaterReply: @unchecked Sendable {
    private var reply: ReadReply?

    init(_ reply: consuming ReadReply) { self.reply = consume reply }

    func answer(_ bytes: [UInt8]) { if let reply = reply.take() { reply.bytes(bytes) } }
}

/// Mounts, runs `body` with the mount's path, and unmounts.
func mounted(
    _ fileSystem: any FileSystem, locks: SessionOptions.Locks = .kernel,
    transport: TransportChoice = .auto, believesCallers: Bool = true, _ body: (String, Session) throws -> Void
) throws {
    let folder = try TemporaryFolder()
    let point = try MountPoint.prepare(try folder.directory("m")) { _ in false }
    var options = SessionOptions(believesCallers: believesCallers)
    options.locks = locks
    options.transport = transport
    let device = try Mounting.mount(MountRequest(source: "apphome:test"), at: point)
    let session = try Session(fileSystem: fileSystem, device: device, options: options)
    try session.start()
    guard session.waitUntilReady(timeoutSeconds: 10) else { throw Errno.timedOut }
    defer {
        try? Unmounting.unmount(point.place, lazy: true)
        session.waitUntilEnded()
    }
    try body(point.path, session)
}

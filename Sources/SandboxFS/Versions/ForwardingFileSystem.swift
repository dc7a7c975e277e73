public import FuseKit
public import Posix
public import SystemPackage

/// A file system that shows a home, and more than the home has: what it does not answer itself, the home
/// does.
public protocol ForwardingFileSystem: FileSystem {
    var home: HomeFileSystem { get }
}

extension ForwardingFileSystem {
    public var root: NodeKey { home.root }
    public func isSlow(at node: NodeKey) -> Bool { home.isSlow(at: node) }
    public var delaysLookups: Bool { home.delaysLookups }

    public func start(_ passthrough: Passthrough) throws(PassthroughRefusal) { try home.start(passthrough) }

    public func delay(
        lookup name: FileName, in directory: NodeKey, until later: @escaping @Sendable () -> Void
    ) -> Bool { home.delay(lookup: name, in: directory, until: later) }

    public func isSlow(attribute name: FileName, of node: NodeKey) -> Bool {
        home.isSlow(attribute: name, of: node)
    }

    // MARK: Names

    public func makeNode(
        _ name: FileName, in directory: NodeKey, mode: UInt32, device: UInt64, for caller: Caller
    ) throws(Errno) -> Entry {
        try home.makeNode(name, in: directory, mode: mode, device: device, for: caller)
    }

    public func makeDirectory(
        _ name: FileName, in directory: NodeKey, mode: UInt32, for caller: Caller
    ) throws(Errno) -> Entry { try home.makeDirectory(name, in: directory, mode: mode, for: caller) }

    public func makeLink(
        to target: UnsafePointer<CChar>, _ name: FileName, in directory: NodeKey, for caller: Caller
    ) throws(Errno) -> Entry { try home.makeLink(to: target, name, in: directory, for: caller) }

    public func removeDirectory(_ name: FileName, in directory: NodeKey, for caller: Caller) throws(Errno) {
        try home.removeDirectory(name, in: directory, for: caller)
    }

    public func create(
        _ name: FileName, in directory: NodeKey, mode: UInt32, flags: Int32, for caller: Caller
    ) throws(Errno) -> (Entry, Opened) {
        try home.create(name, in: directory, mode: mode, flags: flags, for: caller)
    }

    // MARK: Open files and directories

    public func flush(_ node: NodeKey, handle: HandleKey) throws(Errno) {
        try home.flush(node, handle: handle)
    }
}

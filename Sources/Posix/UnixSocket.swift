internal import CLinux
public import SystemPackage

/// Stream sockets between processes of this machine, which carry bytes and descriptors.
public enum UnixSocket {
    /// The user and process at the other end of a connection, as the kernel noted when it was made.
    public struct Peer: Sendable, Equatable {
        public let processID: Int32
        public let userID: UInt32
        public let groupID: UInt32

        public init(processID: Int32, userID: UInt32, groupID: UInt32) {
            self.processID = processID
            self.userID = userID
            self.groupID = groupID
        }
    }

    /// Makes the socket `name` in the open directory `directory`: mode 0600, listening.
    /// - Throws: `addressInUse` where the name is taken; what socket(2), bind(2) answer.
    public static func listen(
        in directory: borrowing Descriptor, name: String
    ) throws(Errno) -> Descriptor {
        Descriptor(owning: try valueOrErrno(lx_unix_listen(directory.raw, name)))
    }

    /// Connects to the socket `name` in the open directory `directory`.
    /// - Throws: `noSuchFileOrDirectory`, `connectionRefused` where nobody listens; what connect(2) answers.
    public static func connect(in directory: borrowing Descriptor, name: String) throws(Errno) -> Descriptor {
        Descriptor(owning: try retrying { lx_unix_connect(directory.raw, name) })
    }

    /// Two sockets connected with each other.
    public static func pair() throws(Errno) -> SocketPair {
        var raw: (Int32, Int32) = (-1, -1)
        let result = withUnsafeMutablePointer(to: &raw) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { lx_socketpair($0) }
        }
        try valueOrErrno(result)
        return SocketPair(Descriptor(owning: raw.0), Descriptor(owning: raw.1))
    }

    /// The next waiting connection; nil where there is none (any more).
    public static func accept(from listener: borrowing Descriptor) throws(Errno) -> Descriptor? {
        do {
            let raw = listener.raw
            return Descriptor(owning: try retrying { lx_accept(raw) })
        } catch Errno.resourceTemporarilyUnavailable, Errno.connectionAbort {
            return nil
        }
    }

    /// The process at the other end.
    public static func peer(of socket: borrowing Descriptor) throws(Errno) -> Peer {
        var processID: Int32 = 0
        var userID: UInt32 = 0
        var groupID: UInt32 = 0
        try valueOrErrno(lx_peer(socket.raw, &processID, &userID, &groupID))
        return Peer(processID: processID, userID: userID, groupID: groupID)
    }
}

/// The two ends of `UnixSocket.pair()`, or of a pipe: (reading, writing).
public struct SocketPair: ~Copyable {
    public var first: Descriptor
    public var second: Descriptor

    init(_ first: consuming Descriptor, _ second: consuming Descriptor) {
        self.first = first
        self.second = second
    }

    /// Gives both ends to `body`, to keep or to close.
    public consuming func split<R: ~Copyable>(
        _ body: (consuming Descriptor, consuming Descriptor) throws -> R
    ) rethrows -> R {
        try body(first, second)
    }
}

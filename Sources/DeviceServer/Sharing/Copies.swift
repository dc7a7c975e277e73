internal import Posix
internal import SystemPackage
internal import Wire

/// Where a client wants a copy, in a directory that it has opened.
struct CopyTarget {
    let directory: SharedDescriptor
    let name: String
    /// Whether it takes the place of what has the name.
    let replaces: Bool
    /// The client's. The daemon may have more, and a descriptor for reading a directory says nothing of who
    /// may write there.
    let rights: ClientRights

    init(_ directory: SharedDescriptor, _ name: String, replaces: Bool, _ rights: ClientRights) {
        self.directory = directory
        self.name = name
        self.replaces = replaces
        self.rights = rights
    }

    var isTaken: CommandFailure {
        CommandFailure("\(name) is there already; replace it with --force, or name another destination")
    }
}

/// What a client has opened, and wants in a home.
struct CopySource {
    let item: SharedDescriptor
    let name: String
    /// The client: what is in a directory is opened with its rights.
    let reader: Owner

    init(_ item: SharedDescriptor, _ name: String, _ peer: UnixSocket.Peer) {
        self.item = item
        self.name = name
        reader = Owner(uid: peer.userID, gid: peer.groupID)
    }
}

/// Sums up what was copied, and tells a client now and then: not for each of many small files.
final class ByteReport {
    private let send: (Progress) throws(Errno) -> Void
    private var bytesDone: Int64 = 0
    private var bytesTold: Int64 = 0
    private static let stepBytes: Int64 = 8 << 20

    /// - Parameter send: throws where nobody waits for the copy any more.
    init(_ send: @escaping (Progress) throws(Errno) -> Void) { self.send = send }

    func add(_ count: Int64) throws(Errno) {
        bytesDone += count
        guard bytesDone - bytesTold >= Self.stepBytes else { return }
        bytesTold = bytesDone
        try send(Progress(bytesDone: bytesDone))
    }
}

internal import Posix
internal import SystemPackage

/// The rights of the process at the other end of a connection.
struct ClientRights {
    private let owner: Owner

    init(_ peer: UnixSocket.Peer) { owner = Owner(uid: peer.userID, gid: peer.groupID) }

    /// Of a client that is the device's owner, or is to reach no more than he.
    init(_ owner: Owner) { self.owner = owner }

    func run<R: ~Copyable>(_ body: () throws -> R) throws -> R { try owner.acting(body) }

    /// As `run`, for system calls.
    func call<R: ~Copyable>(_ body: () throws(Errno) -> R) throws(Errno) -> R { try owner.calling(body) }
}

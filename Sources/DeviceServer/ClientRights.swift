internal import Device
internal import Posix

/// The rights of the process at the other end of a connection.
struct ClientRights {
    private let owner: Owner

    init(_ peer: UnixSocket.Peer) { owner = Owner(uid: peer.userID, gid: peer.groupID) }

    func run<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try owner.acting(body) }
}

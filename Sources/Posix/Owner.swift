internal import CLinux
internal import Glibc
internal import SystemPackage

/// The user whom a device belongs to.
public struct Owner: Hashable, Sendable {
    public let uid: UInt32
    public let gid: UInt32

    public init(uid: UInt32, gid: UInt32) {
        self.uid = uid
        self.gid = gid
    }

    /// The user of this process.
    public static var current: Owner { Owner(uid: geteuid(), gid: getegid()) }

    /// For what works with this owner's rights and groups; nil where the process is that user.
    public var rights: UserRights? {
        uid == geteuid() ? nil : UserRights(userID: uid, groupID: gid)
    }

    /// Runs `body` with the file rights of this owner on this thread, and no more than those.
    ///
    /// Where root serves another user, what `body` makes belongs to that user, and root's rights cannot be
    /// led astray by what lies in the user's folders. Where the process is that user, nothing changes. May be
    /// nested.
    public func acting<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        guard uid != geteuid() else { return try body() }
        let lent = lx_thread_identity(uid, gid)
        // Not root: the process keeps its own rights, which the kernel checks as for any program.
        guard lent == 0 else { return try body() }
        defer { _ = lx_thread_own_identity() }
        return try body()
    }
}

internal import Glibc
public import SystemPackage

/// The user and the group that a device or an item belongs to.
public struct Owner: Hashable, Sendable {
    public let uid: UInt32
    public let gid: UInt32

    public init(uid: UInt32, gid: UInt32) {
        self.uid = uid
        self.gid = gid
    }

    /// The user of this process.
    public static var current: Owner { Owner(uid: geteuid(), gid: getegid()) }

    /// For what works with this owner's rights and groups; nil where every thread of this process has them.
    public var rights: UserRights? {
        uid == geteuid() && !RequestRights.areLent ? nil : UserRights(userID: uid, groupID: gid)
    }

    /// Runs `body` with the file rights of this owner on this thread, and no more than those.
    ///
    /// Where root serves another user, what `body` makes belongs to that user, and root's rights cannot be
    /// led astray by what lies in the user's folders. May be nested. Where the process is that user, or is
    /// not root, nothing changes.
    /// - Throws: why root could not take the owner's rights; `body` does not run then.
    public func acting<R: ~Copyable>(_ body: () throws -> R) throws -> R {
        if UserRights.areInForce(uid, gid) { return try body() }
        guard let rights else { return try body() }
        return try rights.acting(body)
    }

    /// As `acting`, for system calls.
    public func calling<R: ~Copyable>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
        if UserRights.areInForce(uid, gid) { return try body() }
        guard let rights else { return try body() }
        return try rights.calling(body)
    }
}

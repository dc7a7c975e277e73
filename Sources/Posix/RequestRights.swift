internal import CLinux
public import SystemPackage

/// Whose rights a request of a mount is served with.
///
/// Root's daemon that serves another user's device has that user's rights on files (`becomeForFiles`). They
/// do for what the user asks. What somebody else asks through the mount the kernel has permitted by modes and
/// owners alone, and no one user's rights fit all of that: such a request is served with root's. Whoever acts
/// on a file with root's rights holds it by a descriptor whose identity was compared: the user could put
/// another file, one of root's, where a name leads.
public enum RequestRights {
    /// Whether this process is root's and works for another user.
    public static var areLent: Bool { lx_works_for_another() != 0 }

    /// Whether this thread has root's rights now, and works for another user.
    public static var areRoots: Bool { areLent && lx_file_uid() == 0 }

    /// Runs `body` with the rights for a request of this user.
    @inline(__always)
    public static func serving<R>(_ userID: UInt32, _ body: () throws(Errno) -> R) throws(Errno) -> R {
        guard areLent else { return try body() }
        return try lending(userID, body)
    }

    private static func lending<R>(_ userID: UInt32, _ body: () throws(Errno) -> R) throws(Errno) -> R {
        if lx_file_uid() == userID { return try body() }
        return try asRoot(body)
    }

    /// Runs `body` with root's rights, where this process is root's and works for another user; else as it
    /// is.
    public static func asRoot<R>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
        guard areLent else { return try body() }
        var own = lx_own_rights()
        let isLent = try valueOrErrno(lx_lend_root(&own)) == 0
        defer { if isLent { lx_give_rights_back(&own) } }
        return try body()
    }

    /// Runs `body`, whose system calls make something that is to belong to this user and group.
    ///
    /// It belongs to them from its first moment: a name by which it would be given away later may lead to
    /// something else by then.
    /// - Throws: EPERM where this process is another user and not root. A group that it may not act as is
    ///   left to the caller.
    public static func making<R>(
        for userID: UInt32, _ groupID: UInt32, _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        var own = lx_own_rights()
        let isLent = try valueOrErrno(lx_lend_making(userID, groupID, &own)) == 0
        defer { if isLent { lx_give_rights_back(&own) } }
        return try body()
    }
}

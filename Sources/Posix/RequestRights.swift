internal import CLinux
public import SystemPackage

/// Whose rights a request of a mount is served with.
///
/// Root's daemon that serves another user's device has that user's rights on files (`becomeForFiles`). They
/// do for what the user asks. What somebody else asks through the mount is done with his rights, as the
/// group database has them: the kernel has asked by modes that it was told, and the user could have put
/// another file there since. Only what root asks is done with root's rights, and then on a file that is held
/// by a descriptor whose identity was compared.
public enum RequestRights {
    /// Whether this process is root's and works for another user.
    public static var areLent: Bool { lx_works_for_another() != 0 }

    /// Whether this thread has root's rights now, and works for another user.
    public static var areRoots: Bool { areLent && lx_file_uid() == 0 }

    /// Whether this thread was lent other rights than this process's threads begin with. No work may be
    /// given to other threads then: one that is started for it begins with the same.
    public static var areBorrowed: Bool { lx_has_process_rights() == 0 }

    /// Whom what this thread makes belongs to.
    public static var own: Owner { Owner(uid: lx_file_uid(), gid: lx_file_gid()) }

    /// Runs `body` with the rights for a request of this caller.
    /// - Throws: why they cannot be had; `body` does not run then.
    public static func serving<R>(_ caller: Owner, _ body: () throws(Errno) -> R) throws(Errno) -> R {
        if !areLent || lx_file_uid() == caller.uid { return try body() }
        return caller.uid == 0
            ? try asRoot(administers: false, body) : try rights(of: caller).calling(body)
    }

    /// The group database is asked once: callers are few.
    private static func rights(of caller: Owner) -> UserRights {
        if let known = known.withLock({ $0[caller] }) { return known }
        let rights = UserRights(userID: caller.uid, groupID: caller.gid)
        known.withLock { known in
            if known.count >= mostKnown { known = [:] }
            known[caller] = rights
        }
        return rights
    }

    /// Leaf.
    private static let known = Lock<[Owner: UserRights]>([:])
    private static let mostKnown = 1000

    /// Runs `body` with root's rights on files, where this process is root's and works for another user; else
    /// as it is.
    /// - Parameter administers: with CAP_SYS_ADMIN too.
    public static func asRoot<R>(
        administers: Bool, _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        guard areLent else { return try body() }
        var own = lx_own_rights()
        let isLent = try valueOrErrno(lx_lend_root(administers ? 1 : 0, &own)) == 0
        defer { if isLent { lx_give_rights_back(&own) } }
        return try body()
    }

    /// Runs `body`, which reads or changes the attribute of that name, or lists all (nil). `trusted.*` and
    /// `security.*` take CAP_SYS_ADMIN, which is lent for that alone.
    public static func withAttribute<R>(
        _ name: UnsafePointer<CChar>?, _ body: () throws(Errno) -> R
    ) throws(Errno) -> R {
        guard areRoots, name.map(isForRoot) ?? true else { return try body() }
        return try asRoot(administers: true, body)
    }

    private static func isForRoot(_ attribute: UnsafePointer<CChar>) -> Bool {
        let name = FileName(attribute).bytes
        return name.starts(with: "trusted.".utf8) || name.starts(with: "security.".utf8)
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

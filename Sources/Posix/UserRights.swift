internal import CLinux
public import SystemPackage

/// The rights of a user of this system, for root who works for that user.
public struct UserRights: Hashable, Sendable {
    public let userID: UInt32
    public let groupID: UInt32
    /// All groups of the user, as the group database has them now.
    let groups: [UInt32]

    private static let mostGroups = 1024

    public init(userID: UInt32, groupID: UInt32) {
        self.userID = userID
        self.groupID = groupID
        groups = [UInt32](unsafeUninitializedCapacity: Self.mostGroups) { buffer, count in
            count = Int(lx_groups(userID, groupID, buffer.baseAddress, UInt32(buffer.count)))
        }
    }

    /// Whether this thread has the rights of that user and group on files, without asking the group database.
    public static func areInForce(_ userID: UInt32, _ groupID: UInt32) -> Bool {
        lx_has_rights(userID, groupID) != 0
    }

    /// Runs `body` with the user's rights on files, and no more than those, on this thread.
    ///
    /// What `body` makes belongs to that user, and no right of root's can be led astray by what lies in the
    /// user's folders. May be nested. Where this process is not root, `body` runs as it is: the kernel checks
    /// that as it does for any program.
    /// - Throws: why root could not take the user's rights (EPERM, ENOMEM); `body` does not run then.
    public func acting<R: ~Copyable>(_ body: () throws -> R) throws -> R {
        var own = lx_own_rights()
        let isLent = try lend(&own)
        defer { if isLent { lx_give_rights_back(&own) } }
        return try body()
    }

    /// As `acting`, for system calls.
    public func calling<R: ~Copyable>(_ body: () throws(Errno) -> R) throws(Errno) -> R {
        var own = lx_own_rights()
        let isLent = try lend(&own)
        defer { if isLent { lx_give_rights_back(&own) } }
        return try body()
    }

    /// - Returns: whether there is something to give back.
    private func lend(_ own: inout lx_own_rights) throws(Errno) -> Bool {
        guard Process.effectiveUserID == 0 else { return false }
        // Root passes over permissions, whatever its groups.
        let result = try valueOrErrno(
            userID == 0
                ? lx_lend_root(1, &own) : lx_lend_rights(userID, groupID, groups, UInt32(groups.count), &own))
        return result == 0
    }

    /// Gives every thread that this process makes from now on, and the calling one, the user's rights on
    /// files, for good. Root's rights then have to be asked for.
    /// - Precondition: this process has one thread.
    /// - Throws: EPERM where it may not.
    public func becomeForFiles() throws(Errno) {
        try valueOrErrno(lx_set_process_rights(userID, groupID, groups, UInt32(groups.count)))
    }

    /// Makes this process, which has one thread, the user's for good.
    /// - Throws: `notPermitted` where it may not, or where anything of root's would be left in force.
    public func becomeProcess() throws(Errno) {
        _ = try valueOrErrno(lx_become(userID, groupID, groups, UInt32(groups.count)))
    }
}

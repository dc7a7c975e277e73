internal import CLinux
public import SystemPackage

/// The rights of a user of this system, for root who works for that user.
public struct UserRights: Hashable, Sendable {
    public let userID: UInt32
    public let groupID: UInt32
    /// All groups of the user, as the group database has them now.
    private let groups: [UInt32]

    private static let mostGroups = 1024

    public init(userID: UInt32, groupID: UInt32) {
        self.userID = userID
        self.groupID = groupID
        groups = [UInt32](unsafeUninitializedCapacity: Self.mostGroups) { buffer, count in
            count = Int(lx_groups(userID, groupID, buffer.baseAddress, UInt32(buffer.count)))
        }
    }

    /// Runs `body` with the user's rights on files, on this thread. Where the thread works for somebody
    /// already, or the process is not root, nothing changes.
    public func acting<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        guard lx_thread_identity_groups(userID, groupID, groups, UInt32(groups.count)) == 0 else {
            return try body()
        }
        defer { _ = lx_thread_own_identity() }
        return try body()
    }

    /// Makes this process, which has one thread, the user's for good.
    public func becomeProcess() throws(Errno) {
        _ = try valueOrErrno(lx_become(userID, groupID, groups, UInt32(groups.count)))
    }
}

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

    /// Runs `call` on a thread that is the user's in every respect: a process that it starts is as well.
    /// - Parameter call: answers a value or -errno.
    /// - Returns: that; -EPERM where this process may not become the user, -EAGAIN where there is no thread.
    func onThreadOfItsOwn(_ call: () -> Int32) -> Int32 {
        withoutActuallyEscaping(call) { call in
            let run = ThreadCall(call)
            let thread = try? NativeThread(name: "user") {
                let become = lx_thread_become_for_good(userID, groupID, groups, UInt32(groups.count))
                run.result = become < 0 ? become : run.call()
            }
            guard let thread else { return -11 }
            thread.join()
            return run.result
        }
    }

    /// Makes this process, which has one thread, the user's for good.
    /// - Throws: `notPermitted` where it may not, or where anything of root's would be left in force.
    public func becomeProcess() throws(Errno) {
        _ = try valueOrErrno(lx_become(userID, groupID, groups, UInt32(groups.count)))
    }
}

// Unchecked: its maker touches it before the thread starts and after it was joined.
private final class ThreadCall: @unchecked Sendable {
    let call: () -> Int32
    var result: Int32 = 0

    init(_ call: @escaping () -> Int32) { self.call = call }
}

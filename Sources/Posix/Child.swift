internal import CLinux
internal import Glibc
public import SystemPackage

/// Another program, started by this one.
///
/// Not by swift-subprocess, which hands on three descriptors only and runs a program within a task that waits
/// for it: database helpers get more, and a daemon outlives the command that starts it.
public struct Child: Sendable {
    public let processID: Int32

    /// Starts `path` with `descriptors` as its descriptors 0, 1, 2… and no others; signals are at defaults.
    /// - Parameter name: what it is told that it is called; nil: `path`.
    /// - Parameter ownSession: it leads a new session, stands in `/`, and outlives this terminal.
    /// - Parameter rights: of the user that it runs as, for good; nil: this process's own. What keeps it from
    ///   being that program is its exit status 127 then.
    /// - Throws: what posix_spawn(3) answers (`noSuchFileOrDirectory`: there is no such program); EPERM where
    ///   this process is not root and cannot give it rights.
    public init(
        _ path: String, arguments: [String], environment: [String], descriptors: [Int32],
        name: String? = nil, ownSession: Bool = false, rights: UserRights? = nil
    ) throws(Errno) {
        let result = withCStrings([name ?? path] + arguments) { argv in
            withCStrings(environment) { environment in
                let count = UInt32(descriptors.count)
                guard let rights else {
                    return lx_spawn(path, argv, environment, descriptors, count, ownSession ? 1 : 0)
                }
                return lx_spawn_as(
                    path, argv, environment, descriptors, count, rights.userID, rights.groupID,
                    rights.groups, UInt32(rights.groups.count))
            }
        }
        processID = try valueOrErrno(result)
    }

    /// Waits for its end, and ends it where it takes longer: whose it is may have stopped it.
    /// - Returns: false where it does not end even then: it waits for a file system that does not answer, and
    ///   `wait` would too.
    public func isOver(by deadline: Deadline) -> Bool {
        if hasEnded(by: deadline) { return true }
        end()
        return hasEnded(by: Deadline(seconds: Self.endSeconds))
    }

    /// Waits for its end, for so long. Its exit status is still to be waited for.
    /// - Returns: false where it goes on.
    public func hasEnded(by deadline: Deadline) -> Bool {
        guard let number = try? valueOrErrno(lx_process(processID)) else {
            // No descriptor is left for it: who asks again does so in a while.
            _ = try? Waiting.wait(for: [], until: deadline)
            return false
        }
        let ending = Descriptor(owning: number)
        return (try? Waiting.wait(for: [ending.raw], until: deadline))?[0] ?? false
    }

    /// How many bytes it has written so far, also after its end as long as nobody waited for that; nil where
    /// the kernel does not say.
    public var writtenBytes: Int64? {
        guard let file = try? Descriptor("/proc/\(processID)/io", flags: O_RDONLY),
            let bytes = try? file.readAll()
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("wchar: ") }.flatMap { Int64($0.dropFirst("wchar: ".count)) }
    }

    private static let endSeconds = 5.0

    /// Kills it. Not after `wait`: its number may be another's then.
    public func end() { lx_end_child(processID) }

    /// Waits for its end.
    /// - Returns: its exit status; 128 + N where signal N ended it.
    public func wait() throws(Errno) -> Int32 { try valueOrErrno(lx_wait_child(processID)) }
}

/// Runs `body` with a NULL-terminated array of C strings.
private func withCStrings<R>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
    var pointers = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return body(&pointers)
}

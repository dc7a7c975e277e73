internal import CLinux
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
    /// - Parameter rights: of the user that it runs as, for good; nil: this process's own.
    /// - Throws: what posix_spawn(3) answers (`noSuchFileOrDirectory`: there is no such program); EPERM where
    ///   this process may not give it those rights.
    public init(
        _ path: String, arguments: [String], environment: [String], descriptors: [Int32],
        name: String? = nil, ownSession: Bool = false, rights: UserRights? = nil
    ) throws(Errno) {
        let result = withCStrings([name ?? path] + arguments) { argv in
            withCStrings(environment) { environment in
                let spawn = {
                    lx_spawn(
                        path, argv, environment, descriptors, UInt32(descriptors.count), ownSession ? 1 : 0)
                }
                return rights.map { $0.onThreadOfItsOwn(spawn) } ?? spawn()
            }
        }
        processID = try valueOrErrno(result)
    }

    /// Waits for its end.
    /// - Returns: its exit status; 128 + N where signal N ended it.
    public func wait() throws(Errno) -> Int32 { try valueOrErrno(lx_wait_child(processID)) }
}

/// Runs `body` with a NULL-terminated array of C strings.
private func withCStrings<R>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
    let bytes = strings.map { Array($0.utf8CString) }
    let flat = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.reduce(1) { $0 + $1.count })
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: bytes.count + 1)
    defer {
        flat.deallocate()
        pointers.deallocate()
    }
    var offset = 0
    for (index, string) in bytes.enumerated() {
        (flat + offset).update(from: string, count: string.count)
        pointers[index] = flat + offset
        offset += string.count
    }
    pointers[bytes.count] = nil
    return body(pointers)
}

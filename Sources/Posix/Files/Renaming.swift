internal import CLinux
public import SystemPackage

/// What renameat2(2) does by its flags, also on file systems that know none (they answer EINVAL: NFS, sshfs,
/// bindfs).
public enum Renaming {
    /// Renames within a directory where nothing has the new name.
    /// - Throws: EEXIST where something has it. On a file system without flags whatever takes it in the very
    ///   moment of the call is replaced, unless it is a directory that has something in it.
    public static func withoutReplacing(
        _ name: String, in directory: Int32, to newName: String
    ) throws(Errno) {
        let result = lx_renameat2(directory, name, directory, newName, lx_rename_noreplace)
        guard result == -Errno.invalidArgument.rawValue else {
            _ = try valueOrErrno(result)
            return
        }
        if try FileTree.exists(directory, newName) { throw .fileExists }
        try valueOrErrno(lx_renameat2(directory, name, directory, newName, 0))
    }

    /// Exchanges two names of a directory.
    /// - Throws: EINVAL where the file system cannot.
    public static func exchange(_ name: String, _ other: String, in directory: Int32) throws(Errno) {
        try valueOrErrno(lx_renameat2(directory, name, directory, other, lx_rename_exchange))
    }

    /// Whether names can be exchanged in a directory: two are made for that, and removed.
    public static func canExchange(in directory: Int32) throws(Errno) -> Bool {
        let names = ["a", "b"].map { ".apphome-exchange-\(lx_getpid())-\($0)" }
        func remove() { for name in names { _ = lx_unlinkat(directory, name, lx_at_removedir) } }
        // What a killed process of this number left.
        remove()
        defer { remove() }
        for name in names { try valueOrErrno(lx_mkdirat(directory, name, 0o700)) }
        do throws(Errno) { try exchange(names[0], names[1], in: directory) } catch {
            if isUnknown(error) { return false }
            throw error
        }
        return true
    }

    /// What file systems answer that know no flags.
    private static func isUnknown(_ error: Errno) -> Bool {
        [.invalidArgument, .noFunction, .operationNotSupported].contains(error)
    }
}

internal import CLinux
public import SystemPackage

/// An item that is made under a hidden name of its own, and gets its final name when it is complete: nobody
/// ever sees half of it under that name.
public struct AtomicItem {
    private let directory: Int32
    private let name: String
    private let replaces: Bool
    /// What it is called in the directory until it is complete.
    public let temporaryName: String

    /// - Parameters:
    ///   - directory: stays open as long as this is used.
    ///   - replaces: whether it may take the place of what has the name, whatever that is.
    /// - Throws: EEXIST where the name is taken and nothing may be replaced: before the work, and not after
    ///   it.
    public init(named name: String, in directory: Int32, replaces: Bool) throws(Errno) {
        self.directory = directory
        self.name = name
        self.replaces = replaces
        temporaryName = ".apphome-copy-\(lx_realtime_nanoseconds())-\(lx_getpid())"
        if !replaces, try ItemStamp.ifPresent(directory, Self.cString(name)) != nil { throw .fileExists }
    }

    /// Gives the item its final name. What was replaced is removed, a directory with all in it.
    /// - Throws: EEXIST where the name was taken meanwhile; what renameat2(2) answers. The item is still to
    ///   be discarded then.
    public func finish() throws(Errno) {
        if try rename(lx_rename_noreplace) { return }
        guard replaces else { throw .fileExists }
        // Both names are there at every moment.
        guard try rename(lx_rename_exchange) else { throw .fileExists }
        try TreeRemoval.remove(directory, temporaryName)
    }

    /// Removes what there is of it.
    public func discard() { try? TreeRemoval.remove(directory, temporaryName) }

    /// - Returns: false where the name is taken.
    private func rename(_ flags: UInt32) throws(Errno) -> Bool {
        let (from, to) = (Self.cString(temporaryName), Self.cString(name))
        do throws(Errno) {
            try valueOrErrno(lx_renameat2(directory, from, directory, to, flags))
            return true
        } catch .fileExists {
            return false
        } catch .invalidArgument {
            // The file system has no flags. Its own rename replaces no directory that has something in it.
            if !replaces, try ItemStamp.ifPresent(directory, to) != nil { return false }
            try valueOrErrno(lx_renameat2(directory, from, directory, to, 0))
            return true
        }
    }

    private static func cString(_ name: String) -> [CChar] { name.utf8CString.map { $0 } }
}

internal import CLinux
public import SystemPackage

/// An item that is made under a hidden name of its own, and gets its final name when it is complete: nobody
/// ever sees half of it under that name.
public struct AtomicItem {
    private let directory: Int32
    private let name: String
    private let replacing: Replacing
    /// What it is called in the directory until it is complete.
    public let temporaryName: String

    /// What it may take the place of.
    public enum Replacing: Sendable {
        case nothing
        /// Anything but a directory.
        case files
        /// A directory too, with all in it.
        case anything
    }

    /// - Parameters:
    ///   - directory: stays open as long as this is used.
    ///   - replacing: what may have the name.
    /// - Throws: EEXIST where something has it that is not to be replaced: before the work, and not after it.
    public init(named name: String, in directory: Int32, _ replacing: Replacing) throws(Errno) {
        self.directory = directory
        self.name = name
        self.replacing = replacing
        temporaryName = ".apphome-copy-\(lx_realtime_nanoseconds())-\(lx_getpid())"
        try refuse(try ItemStamp.ifPresent(directory, Self.cString(name)))
    }

    private func refuse(_ there: ItemStamp?) throws(Errno) {
        guard let there else { return }
        if replacing == .nothing || replacing == .files && there.isDirectory { throw .fileExists }
    }

    /// Gives the item its final name. What was replaced is removed, as far as that can go: it is another item
    /// by then, and no failure of this one.
    /// - Throws: EEXIST where something has the name by now that is not to be replaced; what renameat2(2)
    ///   answers. The item is still to be discarded then.
    public func finish() throws(Errno) {
        if try rename(lx_rename_noreplace) { return }
        switch replacing {
        case .nothing: throw .fileExists
        case .files:
            // The kernel puts a file over a file, and over nothing else.
            do throws(Errno) { _ = try rename(0) } catch {
                throw error == .isDirectory ? .fileExists : error
            }
        case .anything:
            // Both names are there at every moment.
            guard try rename(lx_rename_exchange) else { throw .fileExists }
            discard()
        }
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
            if replacing == .nothing, try ItemStamp.ifPresent(directory, to) != nil { return false }
            try valueOrErrno(lx_renameat2(directory, from, directory, to, 0))
            return true
        }
    }

    private static func cString(_ name: String) -> [CChar] { name.utf8CString.map { $0 } }
}

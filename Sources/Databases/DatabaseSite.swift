internal import CLinux
internal import CSQLite
internal import Posix
package import SystemPackage

/// Where an app's database is. No sandbox holds the process that works there, and the app may put a link, a
/// FIFO or another file in the place of each part of its path at any moment.
package struct DatabaseSite {
    private let folder: SharedDescriptor
    private let name: String

    /// - Parameter path: absolute, without links.
    package init(_ path: String) throws(SQLiteError) {
        let (directory, name) = path.directoryAndName
        let opened = lx_open_without_links(directory ?? ".", lx_o_directory)
        guard opened >= 0 else { throw SQLiteError(code: SQLITE_CANTOPEN, "\(Errno(rawValue: -opened))") }
        folder = SharedDescriptor(Descriptor(owning: opened))
        self.name = name
    }

    /// As `DescriptorVFS` takes it. It leads there as long as this value lives.
    var path: String { DescriptorVFS.path(folder.raw, name) }

    /// Opens it, or a file beside it, to be read.
    /// - Parameter suffix: what comes after its name.
    /// - Returns: a descriptor that is closed only with the process where that has locks on the file: closing
    ///   it drops them all.
    package func open(_ suffix: String = "") throws(Errno) -> Int32 {
        try valueOrErrno(lx_open_no_fifo(path + suffix, lx_o_nofollow, 0))
    }
}

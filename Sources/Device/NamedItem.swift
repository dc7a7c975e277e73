internal import Posix
internal import SystemPackage

/// A name in an open directory: what calls that make, move or remove an item work on.
struct NamedItem: ~Copyable {
    let directory: Descriptor
    let name: String

    /// The last part of `path`, in the directory that the parts before it lead to; no link is followed.
    init(_ path: String, in root: Int32) throws(Errno) {
        guard let slash = path.lastIndex(of: "/") else {
            directory = try FileTree.openDirectory(root, ".")
            name = path
            return
        }
        directory = try FileTree.openDirectory(root, String(path[..<slash]))
        name = String(path[path.index(after: slash)...])
    }
}

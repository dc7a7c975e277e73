internal import Posix
internal import SystemPackage

/// A name in an open directory: what calls that make, move or remove an item work on.
struct NamedItem: ~Copyable {
    let directory: Descriptor
    let name: String

    /// The last part of `path`, in the directory that the parts before it lead to; no link is followed.
    init(_ path: String, in root: Int32) throws(Errno) {
        let place = path.directoryAndName
        directory = try FileTree.openDirectory(root, place.directory ?? ".")
        name = place.name
    }
}

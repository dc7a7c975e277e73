internal import CLinux
internal import Posix
internal import SystemPackage

/// The entries of a directory, a buffer at a time, in the file system's order. Names that no key can have are
/// left out, `.` and `..` among them.
struct DirectoryScan: ~Copyable {
    struct Entry {
        let name: String
        let kind: Kind
    }

    enum Kind {
        case directory, regular
        /// The file system does not say.
        case unknown
    }

    private let directory: Descriptor
    private var entries = DirectoryEntries(bufferBytes: 32 << 10)

    /// From the beginning of the directory, which gets another descriptor.
    init(_ directory: borrowing Descriptor) throws(Errno) {
        self.directory = try Descriptor(at: directory.raw, ".", flags: lx_o_directory)
    }

    /// Nil at the end. Links, sockets and other things are left out.
    mutating func next() throws(Errno) -> Entry? {
        while let entry = try entries.next(of: directory.raw) {
            guard ObjectKey.isSegment(entry.name.bytes) else { continue }
            switch entry.mode {
            case 0: return Entry(name: entry.name.text, kind: .unknown)
            case FileMode.directory: return Entry(name: entry.name.text, kind: .directory)
            case FileMode.regular: return Entry(name: entry.name.text, kind: .regular)
            default: continue
            }
        }
        return nil
    }
}

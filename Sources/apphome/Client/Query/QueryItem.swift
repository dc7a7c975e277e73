internal import CLinux
internal import Glibc
internal import Posix

/// An item of a home, as a metadata query sees it.
struct QueryItem: Equatable {
    enum Kind: String {
        case file, directory, link, other
    }

    /// From the home, as `Documents/a`.
    let path: String
    let kind: Kind
    let sizeBytes: Int64
    /// Nanoseconds since 1970.
    let modified: Int64
    /// How it stands with the cloud; nil where nobody knows.
    let state: String?

    var name: String { path.pathParts.last ?? path }

    /// - Parameters:
    ///   - name: in `directory`, which is open.
    ///   - path: its own, from the home.
    init(_ name: String, in directory: Int32, _ stamp: ItemStamp, path: String) {
        self.path = path
        kind =
            stamp.isDirectory ? .directory : stamp.isRegular ? .file : stamp.isSymlink ? .link : .other
        // What a directory has says nothing of what is in it.
        sizeBytes = stamp.isRegular ? Int64(clamping: stamp.sizeBytes) : 0
        modified = stamp.isDirectory ? 0 : stamp.modified
        state = Self.state(of: name, in: directory)
    }

    private static func state(of name: String, in directory: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let size = UInt64(bytes.count)
        let count = lx_getxattrat(directory, name, "com.apple.ubiquity.status", &bytes, size)
        return count > 0 ? String(decoding: bytes[..<Int(count)], as: UTF8.self) : nil
    }
}

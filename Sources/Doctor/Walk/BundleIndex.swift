internal import CLinux
internal import Crypto
internal import Posix
internal import SystemPackage

/// The files of a bundle, to be found again by what they hold: by size first, then by SHA-256, which is
/// computed of those alone whose size a document has.
final class BundleIndex {
    /// Kept open by whoever made this.
    private let directory: Int32
    private let name: String
    private var paths: [UInt64: [String]] = [:]
    private var digests: [UInt64: [SHA256.Digest: String]] = [:]
    private static let depthLimit = 64

    /// - Parameter name: `NAME.app`, which begins the paths that are told.
    init(of directory: Int32, name: String) {
        self.directory = directory
        self.name = name
        add(directory, "", depth: 0)
    }

    private func add(_ directory: Int32, _ path: String, depth: Int) {
        guard depth < Self.depthLimit, let names = try? DirectoryEntries.names(in: directory) else { return }
        for name in names {
            guard let stamp = try? ItemStamp(directory, name) else { continue }
            let place = path.child(name.nameText)
            if stamp.isRegular, stamp.sizeBytes > 0 {
                paths[stamp.sizeBytes, default: []].append(place)
            } else if stamp.isDirectory, let opened = try? FileTree.openDirectory(directory, name) {
                add(opened.raw, place, depth: depth + 1)
            }
        }
    }

    func hasFile(of sizeBytes: UInt64) -> Bool { paths[sizeBytes] != nil }

    /// - Returns: the path of a file of the bundle that holds the same; nil where there is none, or the file
    ///   cannot be read.
    func path(ofTwin file: Int32, sizeBytes: UInt64) -> String? {
        guard hasFile(of: sizeBytes), let digest = try? Self.digest(of: file, sizeBytes) else { return nil }
        return known(sizeBytes)[digest].map(name.child)
    }

    private func known(_ sizeBytes: UInt64) -> [SHA256.Digest: String] {
        if let known = digests[sizeBytes] { return known }
        var known: [SHA256.Digest: String] = [:]
        for path in paths[sizeBytes] ?? [] {
            guard let file = try? FileTree.openFile(directory, path),
                let digest = try? Self.digest(of: file.raw, sizeBytes)
            else { continue }
            known[digest] = known[digest] ?? path
        }
        digests[sizeBytes] = known
        return known
    }

    private static func digest(of file: Int32, _ sizeBytes: UInt64) throws(Errno) -> SHA256.Digest {
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            let bytes = try FileTree.read(file, offset: offset, count: FileSearch.blockBytes)
            // A file that grows has no twin.
            if bytes.isEmpty || offset > sizeBytes { return hash.finalize() }
            hash.update(data: bytes)
            offset += Int64(bytes.count)
        }
    }
}

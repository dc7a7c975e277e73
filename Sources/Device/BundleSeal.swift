internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// One difference between a bundle and its seal.
public struct SealDifference: Sendable, Equatable {
    public enum Change: String, Sendable { case changed, missing, added }

    /// Relative to the bundle.
    public let path: String
    public let change: Change
}

/// The SHA-256 of every file of a bundle, with the mode it was packed with, and the target of every link.
///
/// Kept as a file beside the bundle in its container; its own digest stands in the catalogue.
struct BundleSeal {
    static let fileName = ".seal"

    // By the path's bytes: two spellings of one name are two files here, whatever a device makes of them.
    private var entries: [[UInt8]: String] = [:]

    /// Reads every file of the bundle `directory`.
    init(of directory: Int32) throws {
        try add(directory, path: [])
    }

    /// Reads a seal back.
    /// - Returns: nil where the bytes are none.
    init?(_ bytes: [UInt8]) {
        for record in bytes.split(separator: 0) {
            guard let separator = record.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            let path = Array(record[(separator + 1)...])
            entries[path] = String(decoding: record[..<separator], as: UTF8.self)
        }
    }

    /// The seal as a file's content: for each path its record, a line feed, the path and a zero byte, in
    /// order.
    var bytes: [UInt8] {
        entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            .flatMap { Array($0.value.utf8) + [UInt8(ascii: "\n")] + $0.key + [0] }
    }

    /// How `now` differs from this seal, in the order of the paths.
    func differences(to now: BundleSeal) -> [SealDifference] {
        let paths = Set(entries.keys).union(now.entries.keys)
        return paths.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { path in
            let (sealed, found) = (entries[path], now.entries[path])
            if sealed == found { return nil }
            let change: SealDifference.Change = sealed == nil ? .added : found == nil ? .missing : .changed
            return SealDifference(path: String(decoding: path, as: UTF8.self), change: change)
        }
    }

    private mutating func add(_ directory: Int32, path: [UInt8]) throws(Errno) {
        for name in try DirectoryEntries.names(in: directory) {
            let bytes = name.nameBytes
            let place = path.isEmpty ? bytes : path + [UInt8(ascii: "/")] + bytes
            if try ItemStamp(directory, name).isDirectory {
                let opened = try FileTree.openDirectory(directory, name)
                try add(opened.raw, path: place)
            } else {
                entries[place] = try Self.record(directory, name)
            }
        }
    }

    /// What is recorded of one item: a file's mode and digest, a link's digest of its target.
    private static func record(_ directory: Int32, _ name: [CChar]) throws(Errno) -> String {
        let stamp = try ItemStamp(directory, name)
        switch stamp.mode & FileMode.typeMask {
        case FileMode.regular:
            let flags = O_RDONLY | O_NONBLOCK | lx_o_nofollow
            let file = Descriptor(owning: try retrying { lx_openat_beneath(directory, name, flags, 0) })
            return "file \(String(stamp.permissions, radix: 8)) \(try Digest.ofFile(file.raw))"
        case FileMode.symlink:
            return "link \(Digest.of(try linkTarget(name, in: directory)))"
        default:
            return "other"
        }
    }
}

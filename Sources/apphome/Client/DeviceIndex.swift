internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// From a mount back to its device: the mount table knows the device's id, and here is where that lives.
///
/// Devices with a name are found by looking; for those with a path of their own a link `by-id/ID` is left
/// beside the devices' folder when they are mounted.
enum DeviceIndex {
    /// Notes where the device of this id is.
    static func note(id: String, path: String) {
        guard isIdentifier(id), let folder = try? folder() else { return }
        let link = folder + "/" + id
        _ = try? DeviceFolder.create(at: folder)
        let aside = link + ".\(getpid())"
        if symlink(path, aside) == 0, rename(aside, link) != 0 { unlink(aside) }
    }

    /// The path that was noted for this id; nil where there is none.
    static func path(of id: String) -> String? {
        guard isIdentifier(id), let folder = try? folder() else { return nil }
        return (try? linkTarget(folder + "/" + id)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Where the devices were that were noted.
    static var paths: [String] {
        guard let folder = try? Descriptor(folder(), flags: O_DIRECTORY),
            let names = try? DirectoryEntries.names(in: folder)
        else { return [] }
        return names.compactMap {
            path(of: String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
    }

    private static func folder() throws -> String { try DeviceLocation.folder(of: nil) + "/by-id" }

    private static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || $0 == 0x2d
            }
    }
}

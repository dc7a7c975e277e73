internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// Copies a bundle's directory into staging, item by item, through descriptors and without following a link.
enum BundleCopy {
    /// Copies all that is in `source`.
    ///
    /// - Throws: `DeviceError` for devices, pipes, sockets, links out, names that are not UTF-8, and past a
    ///   limit.
    static func copy(from source: Int32, to writer: BundleWriter) throws {
        try copy(from: source, path: "", to: writer)
        try writer.finish()
    }

    private static func copy(from source: Int32, path: String, to writer: BundleWriter) throws {
        for name in try names(in: source, path: path, limit: writer.limits.entries) {
            let place = path.isEmpty ? name : "\(path)/\(name)"
            try writer.admit(place)
            let stamp = try ItemStamp(source, name)
            switch stamp.mode & FileMode.typeMask {
            case FileMode.regular:
                try copyFile(source, name, to: writer, place)
            case FileMode.directory:
                try writer.makeDirectory(
                    place, mode: stamp.permissions, modified: timespec(nanoseconds: stamp.modified))
                let inner = try FileTree.openDirectory(source, name)
                try copy(from: inner.raw, path: place, to: writer)
            case FileMode.symlink:
                try writer.makeLink(place, target: linkTarget(name, in: source))
            default:
                throw DeviceError(
                    .notAnApp,
                    "\(place) in the bundle is a device, pipe or socket: remove it and install again")
            }
        }
    }

    private static func names(in source: Int32, path: String, limit: Int) throws -> [String] {
        do {
            let names = try DirectoryEntries.names(in: source, limit: limit).map(\.validName)
            let valid = names.compactMap { $0 }
            if valid.count == names.count {
                return valid.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            }
            let place = path.isEmpty ? "the bundle" : path
            throw DeviceError(
                .notAnApp, "a name in \(place) is not UTF-8: a device has no such names; rename it")
        } catch Errno.argListTooLong {
            throw DeviceError(.notAnApp, "the bundle holds more than \(limit) items: that is no app")
        }
    }

    private static func copyFile(_ source: Int32, _ name: String, to writer: BundleWriter, _ place: String)
        throws
    {
        // O_NONBLOCK: should the file have become a pipe since, opening it must not wait.
        let from = try Descriptor(at: source, name, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY | lx_o_nofollow)
        let stamp = try ItemStamp(of: from.raw)
        guard stamp.isRegular else {
            throw DeviceError(.notAnApp, "\(place) in the bundle changed while it was copied; install again")
        }
        let sizeBytes = Int64(clamping: stamp.sizeBytes)
        try writer.checkRoom(place, sizeBytes: sizeBytes)
        let to = try writer.makeFile(place)
        try FileCopy.contents(of: from.raw, to: to.raw, limitBytes: sizeBytes, progress: writer.wrote)
        try writer.seal(
            to, mode: stamp.permissions, modified: timespec(nanoseconds: stamp.modified))
    }
}

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
            let status = try ItemStatus(at: source, name)
            switch status.kind {
            case .file:
                try copyFile(source, name, to: writer, place)
            case .directory:
                try writer.makeDirectory(place, mode: status.mode, modified: status.modified)
                let inner = try FileTree.openDirectory(source, name)
                try copy(from: inner.raw, path: place, to: writer)
            case .link:
                try writer.makeLink(place, target: linkTarget(name, in: source))
            case .other:
                throw DeviceError(
                    .notAnApp,
                    "\(place) in the bundle is a device, pipe or socket: remove it and install again")
            }
        }
    }

    private static func names(in source: Int32, path: String, limit: Int) throws -> [String] {
        do {
            return try DirectoryListing.names(in: source, limit: limit)
        } catch is DirectoryListing.InvalidName {
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
        let status = try ItemStatus(of: from.raw)
        guard status.kind == .file else {
            throw DeviceError(.notAnApp, "\(place) in the bundle changed while it was copied; install again")
        }
        try writer.checkRoom(place, sizeBytes: status.sizeBytes)
        let to = try writer.makeFile(place)
        var done = try cloneOrCopy(from.raw, to.raw, sizeBytes: status.sizeBytes, to: writer)
        while done < status.sizeBytes {
            let bytes = try FileTree.read(from.raw, offset: done, count: 1 << 20)
            if bytes.isEmpty { break }
            try FileTree.write(to.raw, bytes, count: bytes.count, offset: done)
            done += Int64(bytes.count)
            writer.wrote(Int64(bytes.count))
        }
        try writer.seal(to, mode: status.mode, modified: status.modified)
    }

    /// Copies within the kernel, sharing the bytes where the file system can.
    /// - Returns: how many bytes were copied: fewer than all where the kernel cannot go on.
    private static func cloneOrCopy(
        _ from: Int32, _ to: Int32, sizeBytes: Int64, to writer: BundleWriter
    ) throws -> Int64 {
        var (input, output): (Int64, Int64) = (0, 0)
        while input < sizeBytes {
            let result = lx_copy_file_range(
                from, &input, to, &output, UInt64(min(sizeBytes - input, 64 << 20)))
            if result == 0 { break }
            if result == -EINTR { continue }
            // Across file systems, or where one of them does not know the call: by hand.
            if [-EXDEV, -EINVAL, -ENOSYS, -EOPNOTSUPP, -EPERM].contains(Int32(truncatingIfNeeded: result)) {
                break
            }
            writer.wrote(try valueOrErrno(result))
        }
        return input
    }
}

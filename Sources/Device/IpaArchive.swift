internal import CArchive
internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// Unpacks `Payload/Name.app` of an `.ipa` into staging. The only file that knows libarchive.
///
/// An `.ipa` is a zip archive from anywhere: names, sizes, modes and links are checked before anything is
/// made, and what is made is made through descriptors that follow no link.
final class IpaArchive {
    private let handle: OpaquePointer
    private let locale: locale_t?
    private let previousLocale: locale_t?
    private let sizeBytes: Int64
    private let limits: InstallLimits

    /// Opens the archive `file`, a regular file that can be read from any place.
    init(file: Int32, limits: InstallLimits) throws {
        let stamp = try ItemStamp(of: file)
        guard stamp.isRegular else {
            throw DeviceError(.notAnApp, "an .ipa is a file: give the path of one, or of an .app directory")
        }
        try valueOrErrno(lx_lseek(file, 0, 0))
        guard let handle = archive_read_new() else { throw Errno.noMemory }
        self.handle = handle
        sizeBytes = Int64(clamping: stamp.sizeBytes)
        self.limits = limits
        // libarchive turns names into this thread's character set: it has to be UTF-8 while the archive is
        // read.
        locale = newlocale(Glibc.LC_CTYPE_MASK, "C.UTF-8", nil)
        previousLocale = locale.flatMap { uselocale($0) }
        archive_read_support_format_zip_seekable(handle)
        archive_read_set_format_option(handle, "zip", "hdrcharset", "UTF-8")
        guard archive_read_open_fd(handle, file, 64 << 10) == ARCHIVE_OK else {
            throw DeviceError(.notAnApp, "this is no .ipa: it is not a zip archive, or it is damaged")
        }
    }

    deinit {
        archive_read_free(handle)
        if let previousLocale { _ = uselocale(previousLocale) }
        if let locale { freelocale(locale) }
    }

    /// Unpacks the app.
    ///
    /// - Parameter open: makes the writer for the app's directory, once its name is known.
    /// - Returns: the name of the app's directory.
    func unpack(open: (_ name: String) throws -> BundleWriter) throws -> String {
        var name: String?
        var writer: BundleWriter?
        var entries = 0
        while let entry = try next() {
            entries += 1
            guard entries <= limits.entries else {
                throw DeviceError(.notAnApp, "the .ipa holds more than \(limits.entries) items")
            }
            guard let place = try place(of: entry) else { continue }
            if writer == nil {
                writer = try open(place.app)
                name = place.app
            }
            guard name == place.app else {
                throw DeviceError(
                    .notAnApp, "the .ipa holds two apps, \(name ?? "") and \(place.app): give one alone")
            }
            if let writer { try unpack(entry, place.path, to: writer) }
        }
        guard let name, let writer else {
            throw DeviceError(.notAnApp, "the .ipa holds no Payload/NAME.app: it is no app archive")
        }
        try writer.finish()
        return name
    }

    /// How many bytes the files of an archive have when they are unpacked, by its own word.
    static func unpackedBytes(of file: Int32, limits: InstallLimits) throws -> Int64 {
        let archive = try IpaArchive(file: file, limits: limits)
        var bytes: Int64 = 0
        var entries = 0
        // One that holds more is refused when it is unpacked.
        while entries < limits.entries, let entry = try archive.next() {
            entries += 1
            guard try archive.place(of: entry) != nil else { continue }
            bytes = bytes.addingSaturated(max(0, archive_entry_size(entry)))
        }
        return bytes
    }

    private func next() throws -> OpaquePointer? {
        var entry: OpaquePointer?
        switch archive_read_next_header(handle, &entry) {
        case ARCHIVE_OK: return entry
        case ARCHIVE_EOF: return nil
        default: throw damaged()
        }
    }

    private func damaged() -> DeviceError {
        let reason = archive_error_string(handle).map { String(cString: $0) } ?? "it is damaged"
        return DeviceError(.notAnApp, "the .ipa cannot be unpacked: \(reason); get it anew")
    }

    /// Where `entry` lies: its app's directory and its path in there; nil for what is not part of an app.
    private func place(of entry: OpaquePointer) throws -> (app: String, path: String)? {
        guard let raw = archive_entry_pathname(entry), let path = String(validatingCString: raw) else {
            throw DeviceError(.notAnApp, "a name in the .ipa is not UTF-8: a device has no such names")
        }
        guard archive_entry_is_encrypted(entry) == 0 else {
            throw DeviceError(
                .notAnApp, "\(path) in the .ipa is encrypted: give an archive without a password")
        }
        let parts = path.parts(between: "/", keepingEmpty: true)
        let named = parts.last == "" ? parts.dropLast() : parts[...]
        guard !path.isAbsolutePath, !named.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw DeviceError(
                .notAnApp, "\(path) in the .ipa would lie outside of it: do not use this archive")
        }
        guard named.count >= 2, named.first == "Payload", named[1].hasSuffix(".app") else { return nil }
        return (named[1], named.dropFirst(2).joined(separator: "/"))
    }

    private func unpack(_ entry: OpaquePointer, _ path: String, to writer: BundleWriter) throws {
        // The app's own directory is there already.
        if path.isEmpty { return }
        try writer.admit(path)
        do {
            try makeItem(entry, path, to: writer)
        } catch Errno.tooManySymbolicLinkLevels, Errno.improperLink, Errno.notDirectory {
            throw DeviceError(
                .notAnApp, "\(path) in the .ipa lies behind a link or a file: do not use this archive")
        }
    }

    private func makeItem(_ entry: OpaquePointer, _ path: String, to writer: BundleWriter) throws {
        try makeParents(of: path, writer)
        let mode = UInt32(archive_entry_perm(entry))
        let modified = timespec(tv_sec: archive_entry_mtime(entry), tv_nsec: 0)
        switch UInt32(archive_entry_filetype(entry)) & FileMode.typeMask {
        case FileMode.directory:
            try makeDirectory(path, mode: mode, modified: modified, writer)
        case FileMode.symlink:
            guard let target = archive_entry_symlink(entry) else { throw damaged() }
            try writer.makeLink(path, target: Array(String(cString: target).utf8))
        case FileMode.regular where archive_entry_hardlink(entry) == nil:
            try unpackFile(entry, path, mode: mode, modified: modified, to: writer)
        default:
            throw DeviceError(
                .notAnApp, "\(path) in the .ipa is neither file nor directory: do not use this archive")
        }
    }

    /// Archives need not list directories before what lies in them, or at all.
    private func makeParents(of path: String, _ writer: BundleWriter) throws {
        var parts = path.pathParts.dropLast()
        var missing: [String] = []
        while !parts.isEmpty {
            let parent = parts.joined(separator: "/")
            if try FileTree.exists(writer.root.raw, parent) { break }
            missing.append(parent)
            parts = parts.dropLast()
        }
        for parent in missing.reversed() {
            try writer.admit(parent)
            try writer.makeDirectory(parent, mode: 0o755, modified: timespec())
        }
    }

    private func makeDirectory(
        _ path: String, mode: UInt32, modified: timespec, _ writer: BundleWriter
    ) throws {
        do {
            try writer.makeDirectory(path, mode: mode, modified: modified)
        } catch Errno.fileExists {
            // Twice, or made as a parent; anything but a directory is an archive that contradicts itself.
            _ = try FileTree.openDirectory(writer.root.raw, path)
        }
    }

    private func unpackFile(
        _ entry: OpaquePointer, _ path: String, mode: UInt32, modified: timespec, to writer: BundleWriter
    ) throws {
        if path == "Info.plist", archive_entry_size(entry) > Int64(BundleInspection.plistLimitBytes) {
            throw BundleInspection.plistTooLarge
        }
        let file = try writer.makeFile(path)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var offset: Int64 = 0
        while true {
            let count = archive_read_data(handle, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0 else { throw damaged() }
            try FileTree.write(file.raw, Array(buffer[..<Int(count)]), offset: offset)
            offset += Int64(count)
            try writer.wrote(Int64(count))
            try checkRatio(writer)
        }
        try writer.seal(file, mode: mode, modified: modified)
    }

    /// A few kilobytes can unfold to terabytes.
    private func checkRatio(_ writer: BundleWriter) throws {
        let (most, isTooLarge) = sizeBytes.multipliedReportingOverflow(by: writer.limits.archiveRatio)
        let limit = isTooLarge ? .max : most.addingSaturated(writer.limits.archiveFloorBytes)
        guard writer.bytes <= limit else {
            throw DeviceError(
                .notAnApp,
                "the .ipa unfolds to more than \(writer.limits.archiveRatio) times its size: "
                    + "do not use this archive"
            )
        }
    }
}

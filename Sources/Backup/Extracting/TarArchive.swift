internal import CArchive
internal import Glibc
internal import Posix
internal import SystemPackage

/// A tar archive that is written, in the PAX form: times to the nanosecond, names of any length, extended
/// attributes.
final class TarArchive {
    private let archive: OpaquePointer
    private let entry: OpaquePointer

    /// - Parameter file: written from where it stands; it may be a pipe.
    init(to file: Int32) throws {
        guard let archive = archive_write_new(), let entry = archive_entry_new() else { throw Errno.noMemory }
        (self.archive, self.entry) = (archive, entry)
        // Names are UTF-8, whatever the language of who runs this; libarchive asks the C library.
        setlocale(LC_CTYPE, "C.UTF-8")
        try check(archive_write_set_format_pax(archive))
        try check(archive_write_set_options(archive, "hdrcharset=UTF-8"))
        // A pipe gets what there is, with nothing behind the end.
        try check(archive_write_set_bytes_in_last_block(archive, 1))
        try check(archive_write_open_fd(archive, file))
    }

    deinit {
        archive_entry_free(entry)
        archive_write_free(archive)
    }

    /// Begins an item.
    /// - Parameter path: in the archive.
    func add(_ item: StoredItem, at path: String) throws {
        archive_entry_clear(entry)
        guard archive_entry_update_pathname_utf8(entry, path) != 0 else { throw Errno.illegalByteSequence }
        let record = item.record
        archive_entry_set_perm(entry, mode_t(item.mode & FileMode.permissions))
        archive_entry_set_uid(entry, record.userID)
        archive_entry_set_gid(entry, record.groupID)
        archive_entry_set_mtime(entry, time_t(record.modifiedSeconds), 0)
        archive_entry_set_ctime(entry, time_t(record.changedSeconds), 0)
        switch item.kind {
        case .directory: archive_entry_set_filetype(entry, FileMode.directory)
        case .symlink(let text):
            archive_entry_set_filetype(entry, FileMode.symlink)
            archive_entry_update_symlink_utf8(entry, text)
        case .file:
            archive_entry_set_filetype(entry, FileMode.regular)
            archive_entry_set_size(entry, item.sizeBytes)
        }
        for attribute in record.attributes {
            // As Linux stores them, where it can.
            let name = AttributeList.backingName(attribute.name) ?? attribute.name
            archive_entry_xattr_add_entry(entry, name, attribute.value, attribute.value.count)
        }
        try check(archive_write_header(archive, entry))
    }

    /// Adds to the content of the file that was begun last.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure }
            rest = rest.dropFirst(count)
        }
    }

    func finish() throws { try check(archive_write_close(archive)) }

    private func check(_ code: Int32) throws {
        // A warning: the item is there, but for something of it that tar cannot say.
        guard code == ARCHIVE_OK || code == ARCHIVE_WARN else { throw failure }
    }

    private var failure: any Error {
        let number = archive_errno(archive)
        guard number <= 0 else { return Errno(rawValue: number) }
        let reason = archive_error_string(archive).map { String(cString: $0) } ?? "libarchive failed"
        return BackupError(.system, "cannot write the archive: \(reason)")
    }
}

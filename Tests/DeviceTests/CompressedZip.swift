import CArchive
import Foundation

/// A zip archive of a folder, compressed, as a packer would write it.
enum CompressedZip {
    struct Failure: Error {}

    static func write(_ path: String, of folder: String, in parent: String) throws {
        guard let archive = archive_write_new(), let entry = archive_entry_new() else { throw Failure() }
        defer {
            archive_entry_free(entry)
            archive_write_free(archive)
        }
        archive_write_set_format_zip(archive)
        guard archive_write_open_filename(archive, path) == ARCHIVE_OK else { throw Failure() }
        let names =
            FileManager.default.enumerator(atPath: "\(parent)/\(folder)")?.compactMap { $0 as? String } ?? []
        for name in names {
            guard let content = FileManager.default.contents(atPath: "\(parent)/\(folder)/\(name)") else {
                continue
            }
            archive_entry_clear(entry)
            archive_entry_set_pathname(entry, "\(folder)/\(name)")
            archive_entry_set_size(entry, Int64(content.count))
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_perm(entry, 0o644)
            guard archive_write_header(archive, entry) == ARCHIVE_OK else { throw Failure() }
            let bytes = Array(content)
            guard archive_write_data(archive, bytes, bytes.count) == bytes.count else { throw Failure() }
        }
        guard archive_write_close(archive) == ARCHIVE_OK else { throw Failure() }
    }
}

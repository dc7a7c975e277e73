internal import CLinux
internal import Glibc

/// A directory's entries as bytes, and whole trees removed.
enum Tree {
    struct Entry {
        let name: [UInt8]
        let kind: UInt8
        var isDots: Bool { name == [0x2E] || name == [0x2E, 0x2E] }
    }

    /// The next entry of an open listing; nil at its end or at an error (then `errno` is not 0).
    static func next(_ listing: OpaquePointer) -> Entry? {
        errno = 0
        guard let entry = readdir(listing) else { return nil }
        let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
            field.withMemoryRebound(to: UInt8.self, capacity: 256) { bytes in
                Array(UnsafeBufferPointer(start: bytes, count: strlen(bytes)))
            }
        }
        return Entry(name: name, kind: entry.pointee.d_type)
    }

    /// Removes `name` below `directory` with all it holds, whatever the modes of its directories are.
    static func remove(_ name: [UInt8], in directory: Int32) {
        (name + [0]).withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                guard let path = characters.baseAddress else { return }
                if unlinkat(directory, path, 0) == 0 { return }
                empty(path, in: directory)
                unlinkat(directory, path, lx_at_removedir)
            }
        }
    }

    static func isEmpty(_ directory: Int32) -> Bool {
        var isEmpty = false
        withNames(".", in: directory) { isEmpty = $1.isEmpty }
        return isEmpty
    }

    static func empty(_ path: UnsafePointer<CChar>, in directory: Int32) {
        fchmodat(directory, path, 0o700, 0)
        withNames(path, in: directory) { opened, names in
            for name in names { remove(name, in: opened) }
        }
    }

    /// Runs `body` with a directory, open, and all names in it but the dots.
    private static func withNames(
        _ path: UnsafePointer<CChar>, in directory: Int32, _ body: (Int32, [[UInt8]]) -> Void
    ) {
        let opened = openat(directory, path, O_RDONLY | lx_o_directory | lx_o_nofollow | lx_o_cloexec)
        guard opened >= 0 else { return }
        guard let listing = fdopendir(opened) else {
            close(opened)
            return
        }
        defer { closedir(listing) }
        var names: [[UInt8]] = []
        while let entry = next(listing) {
            if !entry.isDots { names.append(entry.name) }
        }
        body(opened, names)
    }
}

/// The kernel's entries of a directory, as getdents64(2) gives them.
public enum DirectoryRecords {
    /// Hands on each name but `.` and `..`, without its zero byte. What does not look like an entry ends it.
    public static func forEachName(
        in entries: UnsafeRawBufferPointer, _ body: (Slice<UnsafeRawBufferPointer>) -> Void
    ) {
        // Inode (8 bytes), offset (8), length (2), type (1), name, zero byte.
        let nameOffset = 19
        var place = 0
        while place + nameOffset < entries.count {
            let length = Int(entries.loadUnaligned(fromByteOffset: place + 16, as: UInt16.self))
            guard length > nameOffset, place + length <= entries.count else { return }
            let name = entries[place + nameOffset..<place + length].prefix { $0 != 0 }
            place += length
            if name.elementsEqual(".".utf8) || name.elementsEqual("..".utf8) { continue }
            body(name)
        }
    }
}

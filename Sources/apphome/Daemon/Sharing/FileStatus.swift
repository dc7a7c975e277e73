internal import CLinux
internal import Posix
internal import SystemPackage

/// What stat(2) says of an open file.
struct FileStatus {
    let mode: UInt32
    let size: Int64
    let accessTime: timespec
    let modificationTime: timespec

    init(_ file: Int32) throws(Errno) {
        var details = stat()
        try valueOrErrno(lx_fstat(file, &details))
        mode = details.st_mode
        size = Int64(details.st_size)
        accessTime = details.st_atim
        modificationTime = details.st_mtim
    }
}

/// The names in a directory outside any tree.
enum DirectoryNames {
    private static let bufferBytes = 64 << 10
    /// Of a record of getdents64(2): inode and offset (8 bytes each), length (2), type (1), then the name.
    private static let nameOffset = 19

    /// Reads all names, without `.` and `..`, each with its NUL, from the directory's start.
    static func list(_ directory: Int32) throws(Errno) -> [[CChar]] {
        try valueOrErrno(lx_lseek(directory, 0, 0))
        var names: [[CChar]] = []
        var buffer = [UInt8](repeating: 0, count: bufferBytes)
        while true {
            let count = Int(try valueOrErrno(lx_getdents64(directory, &buffer, UInt64(bufferBytes))))
            if count == 0 { return names }
            var at = 0
            while at + nameOffset < count {
                let length = Int(buffer[at + 16]) | Int(buffer[at + 17]) << 8
                let name = buffer[(at + nameOffset)..<(at + length)].prefix { $0 != 0 }
                if !name.elementsEqual([0x2e]), !name.elementsEqual([0x2e, 0x2e]) {
                    names.append(name.map { CChar(bitPattern: $0) } + [0])
                }
                at += length
            }
        }
    }
}

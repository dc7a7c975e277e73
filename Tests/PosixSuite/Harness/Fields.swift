internal import Glibc

/// stat(2)'s structure, by a name that no function has.
typealias Status = stat

/// The fields of stat(2) that a case looks at.
struct Fields: OptionSet, Sendable {
    let rawValue: UInt8

    static let kind = Fields(rawValue: 1)
    static let mode = Fields(rawValue: 2)
    static let links = Fields(rawValue: 4)
    static let size = Fields(rawValue: 8)
    static let owner = Fields(rawValue: 16)
    static let blocks = Fields(rawValue: 32)
    static let device = Fields(rawValue: 64)

    /// The chosen fields of `status` as text.
    func text(_ status: Status) -> String {
        var parts: [String] = []
        if contains(.kind) { parts.append(Self.kind(status.st_mode)) }
        if contains(.mode) { parts.append(Answer.mode(status.st_mode)) }
        if contains(.links) { parts.append("links \(status.st_nlink)") }
        if contains(.size) { parts.append("size \(status.st_size)") }
        if contains(.owner) { parts.append("owner \(status.st_uid):\(status.st_gid)") }
        if contains(.blocks) { parts.append(Self.blocks(status)) }
        if contains(.device) { parts.append("device \(status.st_rdev)") }
        return parts.joined(separator: " ")
    }

    private static func kind(_ mode: mode_t) -> String {
        switch mode & S_IFMT {
        case S_IFREG: "file"
        case S_IFDIR: "directory"
        case S_IFLNK: "symlink"
        case S_IFIFO: "fifo"
        case S_IFSOCK: "socket"
        case S_IFCHR: "character device"
        case S_IFBLK: "block device"
        default: "kind \(String(mode & S_IFMT, radix: 8))"
        }
    }

    /// How much is allocated, against the size: the number of blocks itself is the backing store's affair.
    private static func blocks(_ status: Status) -> String {
        let allocatedBytes = Int(status.st_blocks) * 512
        let neededBytes = (Int(status.st_size) + 4095) / 4096 * 4096
        if allocatedBytes == 0 { return "no blocks" }
        if allocatedBytes < neededBytes { return "holes" }
        return allocatedBytes > neededBytes ? "preallocated" : "full"
    }
}

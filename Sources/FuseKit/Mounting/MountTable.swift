internal import Posix
public import SystemPackage

/// One mount, as a line of /proc/self/mountinfo describes it (proc_pid_mountinfo(5)).
public struct MountEntry: Sendable, Equatable {
    public let mountID: Int
    /// The device number that stat(2) gives for its files, `major:minor`.
    public let device: String
    public let mountPoint: String
    public let isReadOnly: Bool
    public let type: String
    public let source: String
    /// The user the mount belongs to (FUSE's `user_id`); nil for other file systems.
    public let userID: UInt32?

    /// Nil where the line is not one of mountinfo.
    public init?(line: String) {
        let fields = line.parts(between: " ", keepingEmpty: true)
        guard fields.count >= 10, let mountID = Int(fields[0]),
            let separator = fields[6...].firstIndex(of: "-"), separator + 3 < fields.count
        else { return nil }
        self.mountID = mountID
        device = fields[2]
        mountPoint = unescaped(fields[4])
        isReadOnly = fields[5].parts(between: ",").contains("ro")
        type = unescaped(fields[separator + 1])
        source = unescaped(fields[separator + 2])
        userID = fields[separator + 3].parts(between: ",")
            .first { $0.hasPrefix("user_id=") }
            .flatMap { UInt32($0.dropFirst("user_id=".count)) }
    }
}

/// The mounts that this process sees, in the order in which they were made.
public struct MountTable: Sendable {
    public let entries: [MountEntry]

    public init(text: String) {
        entries = text.parts(between: "\n").compactMap(MountEntry.init(line:))
    }

    /// Reads the table as it is now.
    public static func current() throws(Errno) -> MountTable {
        let file = try Descriptor("/proc/self/mountinfo", flags: 0)
        return MountTable(text: String(decoding: try file.readAll(limitBytes: 256 << 20), as: UTF8.self))
    }

    /// The mount that stands at exactly this absolute path: the topmost, where several are stacked.
    public func entry(at path: String) -> MountEntry? {
        entries.last { $0.mountPoint == path }
    }

    /// The mount that the absolute path lies in, as far as names tell (no link is followed).
    public func entry(containing path: String) -> MountEntry? {
        var best: MountEntry?
        for entry in entries where path.isPath(in: entry.mountPoint) {
            if entry.mountPoint.utf8.count >= (best?.mountPoint.utf8.count ?? 0) { best = entry }
        }
        return best
    }
}

/// The kernel writes blank, tab, newline and backslash in a field as a backslash and three octal digits.
func unescaped(_ field: String) -> String {
    guard field.utf8.contains(0x5c) else { return field }
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
    while let byte = rest.popFirst() {
        let digits = rest.prefix(3)
        if byte == 0x5c, digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }) {
            bytes.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }))
            rest = rest.dropFirst(3)
        } else {
            bytes.append(byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

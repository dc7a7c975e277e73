/// What an item is, as far as the rules care.
public enum ItemKind: UInt8, Sendable, CaseIterable {
    case file
    case directory
    case symlink
    /// Sockets, fifos, devices.
    case special

    /// From the mode that stat(2) gives.
    public init(mode: UInt32) {
        switch mode & 0o170000 {
        case 0o100000: self = .file
        case 0o040000: self = .directory
        case 0o120000: self = .symlink
        default: self = .special
        }
    }
}

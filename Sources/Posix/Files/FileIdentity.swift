/// What the file system calls an inode. True only while a name or a descriptor holds it: ext4 gives a freed
/// number to the next file.
public struct FileIdentity: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

extension ItemStamp {
    public var identity: FileIdentity { FileIdentity(device: device, inode: inode) }
}

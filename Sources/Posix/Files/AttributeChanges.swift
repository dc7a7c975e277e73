public import CLinux

/// What to change of an inode's attributes, in one SETATTR or by one command; nil leaves it as it is.
public struct AttributeChanges {
    /// Permission bits.
    public var mode: UInt32?
    public var uid: UInt32?
    public var gid: UInt32?
    public var sizeBytes: Int64?
    /// `tv_nsec` may be `lx_utime_now`.
    public var accessTime: timespec?
    public var modificationTime: timespec?
    /// The caller may not keep set-user-id and set-group-id bits on what it changes.
    public var stripsPrivileges = false

    public init() {}

    public var isEmpty: Bool {
        mode == nil && uid == nil && gid == nil && sizeBytes == nil && accessTime == nil
            && modificationTime == nil
    }
}

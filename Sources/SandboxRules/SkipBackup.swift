/// The flag that keeps an item on the device: its two attributes, as iOS writes them.
public enum SkipBackup {
    /// iOS 5.0.1: one byte, 01 for set (Apple's QA1719).
    public static let mobileBackup: StaticString = "com.apple.MobileBackup"
    /// iOS 5.1 and later: a property list, `value`.
    public static let excludeItem: StaticString = "com.apple.metadata:com_apple_backup_excludeItem"

    /// Apple's own order is write, close, flag: nothing leaves the device within this time after its last
    /// change (SPEC.md 4).
    public static let graceNanoseconds: Int64 = 1_000_000_000

    /// What is written for `excludeItem`: the binary property list of the string `com.apple.backupd`.
    public static let value: [UInt8] =
        Array("bplist00".utf8)
        + [0x5f, 0x10, 0x11] + Array("com.apple.backupd".utf8)
        + [0x08]  // the one object's offset
        + [0, 0, 0, 0, 0, 0, 1, 1]  // offsets and references of one byte
        + [0, 0, 0, 0, 0, 0, 0, 1]  // one object
        + [0, 0, 0, 0, 0, 0, 0, 0]  // the root is object 0
        + [0, 0, 0, 0, 0, 0, 0, 28]  // where the offsets begin

    /// Whether a name, with or without `user.`, is one of the flag's two. Never allocates.
    public static func isFlag(_ name: UnsafeRawBufferPointer) -> Bool {
        isMobileBackup(name) || name.isEqual(to: excludeItem)
            || name.isEqual(to: "user.com.apple.metadata:com_apple_backup_excludeItem")
    }

    /// Whether an attribute says *skip*: either of the two does by being there, whatever its value (tools
    /// write many), but for `com.apple.MobileBackup` with the byte 00. Other attributes say nothing.
    public static func isSet(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) -> Bool {
        guard isFlag(name) else { return false }
        return !(isMobileBackup(name) && value.count == 1 && value[0] == 0)
    }

    private static func isMobileBackup(_ name: UnsafeRawBufferPointer) -> Bool {
        name.isEqual(to: mobileBackup) || name.isEqual(to: "user.com.apple.MobileBackup")
    }
}

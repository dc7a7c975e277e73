/// What an entry of the log may hold at most. Writers keep to it, readers refuse what does not.
public enum LogLimits {
    /// One log object. A batch that makes a larger one spills its operations.
    public static let entryBytes = 256 << 10
    /// The operations of one batch in their encoding, spilled or not.
    public static let operationsBytes = 64 << 20
    public static let operations = 1 << 18
    /// A file system's longest name is 255 bytes; iOS counts 255 UTF-16 units, each of up to three bytes.
    public static let nameBytes = 765
    public static let symlinkTargetBytes = 4096
    /// The chunker's largest is 4 MiB.
    public static let chunkBytes: UInt64 = 16 << 20
    /// Extended attributes of one item, and the bytes of a name and a value, as Linux has them.
    public static let extendedAttributes = 256
    public static let attributeNameBytes = 255
    public static let attributeValueBytes = 64 << 10
    public static let featureBytes = 255
    /// Seconds since 1970 that a commit may claim: far enough, and no sum of times overflows.
    public static let latestTime: UInt64 = 1 << 40
}

/// What an entry of the log may hold at most. Writers keep to it, readers refuse what does not.
package enum LogLimits {
    /// One log object. A batch that makes a larger one spills its operations.
    package static let entryBytes = 256 << 10
    /// The operations of one batch in their encoding, spilled or not: a store's largest object.
    package static let operationsBytes = 16 << 20
    package static let operations = 1 << 18
    /// A file system's longest name is 255 bytes; iOS counts 255 UTF-16 units, each of up to three bytes.
    package static let nameBytes = 765
    package static let symlinkTargetBytes = 4096
    /// The chunker's largest is 4 MiB.
    package static let chunkBytes: UInt64 = 16 << 20
    /// Extended attributes of one item, and the bytes of a name and a value, as Linux has them.
    package static let extendedAttributes = 256
    package static let attributeNameBytes = 255
    package static let attributeValueBytes = 64 << 10
    package static let featureBytes = 255
    /// iOS counts 128 UTF-16 units, each of up to three bytes.
    package static let keyBytes = 384
    /// iOS has values of up to 1 MiB; as a property list they take some more.
    package static let valueBytes = 2 << 20
    /// Seconds since 1970 that a commit may claim: far enough, and no sum of times overflows.
    package static let latestTime: UInt64 = 1 << 40
}

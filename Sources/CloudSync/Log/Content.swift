/// What an item holds.
public enum Content: Equatable, Sendable {
    case directory
    case file(FileContent)
    /// Its bytes as they are, never followed.
    case symlink(target: [UInt8])
}

/// A regular file's bytes: their hash, and where they lie.
public struct FileContent: Equatable, Sendable {
    public var hash: ContentHash
    public var sizeBytes: UInt64
    /// In order; their lengths add up to the size.
    public var chunks: [Chunk]

    public init(hash: ContentHash, sizeBytes: UInt64, chunks: [Chunk]) {
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.chunks = chunks
    }
}

/// A run of bytes that is stored once, however often it occurs.
public struct Chunk: Equatable, Sendable {
    public var hash: ContentHash
    public var sizeBytes: UInt32
    /// Where the sender knows it to lie. Where the tree has a later one, that counts.
    public var locator: Locator
}

/// Where a chunk's bytes lie in the store. A key is written once, ever: bytes that go up again get another.
public enum Locator: Hashable, Sendable {
    /// An object of its own: the random part of its key.
    case object(UInt64)
    /// A part of a pack.
    case pack(Bits128, offset: UInt32)
}

/// What travels beside name and content.
public struct Attributes: Equatable, Sendable {
    /// Permission bits, 0 to 0o7777.
    public var mode: UInt16
    /// Last modification, in nanoseconds since 1970.
    public var modified: Int64
    /// `com.apple.*`, by name, ascending; the skip-backup flag never travels, for a flagged item does not.
    public var extended: [ExtendedAttribute]

    public init(mode: UInt16, modified: Int64, extended: [ExtendedAttribute] = []) {
        self.mode = mode
        self.modified = modified
        self.extended = extended
    }
}

public struct ExtendedAttribute: Equatable, Sendable {
    public var name: String
    public var value: [UInt8]

    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

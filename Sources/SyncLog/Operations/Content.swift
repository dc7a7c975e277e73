/// What an item holds.
package enum Content: Equatable, Sendable {
    case directory
    case file(FileContent)
    /// Its bytes as they are, never followed.
    case symlink(target: [UInt8])
}

/// A regular file's bytes: their hash, and where they lie.
package struct FileContent: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt64
    /// In order; their lengths add up to the size.
    package var chunks: [Chunk]

    package init(hash: ContentHash, sizeBytes: UInt64, chunks: [Chunk]) {
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.chunks = chunks
    }
}

/// A run of bytes that is stored once, however often it occurs.
package struct Chunk: Equatable, Sendable {
    package var hash: ContentHash
    package var sizeBytes: UInt32
    /// Where the sender knows it to lie. Where the tree has a later one, that counts.
    package var locator: Locator

    package init(hash: ContentHash, sizeBytes: UInt32, locator: Locator) {
        self.hash = hash
        self.sizeBytes = sizeBytes
        self.locator = locator
    }
}

/// Where a chunk's bytes lie in the store. A key is written once, ever: bytes that go up again get another.
package enum Locator: Hashable, Sendable {
    /// An object of its own: the random part of its key.
    case object(UInt64)
    /// A part of a pack.
    case pack(Bits128, offset: UInt32)
}

/// What travels beside name and content.
package struct Attributes: Equatable, Sendable {
    /// Permission bits, 0 to 0o7777.
    package var mode: UInt16
    /// Last modification, in nanoseconds since 1970.
    package var modified: Int64
    /// `com.apple.*`, by name, ascending; the skip-backup flag never travels, for a flagged item does not.
    package var extended: [ExtendedAttribute]

    package init(mode: UInt16, modified: Int64, extended: [ExtendedAttribute] = []) {
        self.mode = mode
        self.modified = modified
        self.extended = extended
    }
}

package struct ExtendedAttribute: Equatable, Sendable {
    package var name: String
    package var value: [UInt8]

    package init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }
}

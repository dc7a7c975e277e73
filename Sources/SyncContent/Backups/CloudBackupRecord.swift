package import SyncLog

/// An item of a backup snapshot.
package struct CloudBackupRecord: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case directory
        case file(HeldContent)
        case symlink(String)
    }

    /// What it has besides its content.
    package struct Facts: Equatable, Sendable {
        /// From the domain's root; "" is the root itself. Not looked at here: whoever restores it does.
        package var path: String
        /// Type and permissions, as st_mode.
        package var mode: UInt32
        /// Nanoseconds since 1970, as is the next.
        package var modified: Int64
        /// With the inode: by these a device knows its file again. 0 where they are not to be compared.
        package var changed: Int64
        package var inode: UInt64
        package var attributes: [ExtendedAttribute]

        package init(
            path: String, mode: UInt32, modified: Int64, changed: Int64 = 0, inode: UInt64 = 0,
            attributes: [ExtendedAttribute] = []
        ) {
            (self.path, self.mode, self.modified) = (path, mode, modified)
            (self.changed, self.inode, self.attributes) = (changed, inode, attributes)
        }
    }

    package var facts: Facts
    package var content: Content

    package init(_ facts: Facts, _ content: Content) {
        (self.facts, self.content) = (facts, content)
    }

    /// Of the largest record: a file of 200 GB has one of some 30 MiB.
    static let limitBytes = 32 << 20
    /// Of the largest chunk of a list.
    static let listChunkBytes = 256 << 10
    private static let pathBytes = 4095

    private enum Kind {
        static let directory: UInt64 = 0
        static let file: UInt64 = 1
        static let symlink: UInt64 = 2
    }

    /// Behind its length, as it stands in a list.
    package func framed() -> [UInt8] {
        var writer = CBORWriter()
        writer.array(8)
        switch content {
        case .directory:
            writer.unsigned(Kind.directory)
            writer.array(0)
        case .file(let content):
            writer.unsigned(Kind.file)
            content.encode(to: &writer)
        case .symlink(let text):
            writer.unsigned(Kind.symlink)
            writer.text(text)
        }
        writer.text(facts.path)
        writer.unsigned(facts.mode)
        writer.signed(facts.modified)
        writer.signed(facts.changed)
        writer.unsigned(facts.inode)
        writer.list(facts.attributes) { $1.encode(to: &$0) }
        return withUnsafeBytes(of: UInt32(clamping: writer.bytes.count).bigEndian, Array.init) + writer.bytes
    }

    package init(_ bytes: [UInt8]) throws(CodingError) {
        var reader = CBORReader(bytes)
        try reader.array(of: 8)
        switch try reader.unsigned() {
        case Kind.directory:
            try reader.array(of: 0)
            content = .directory
        case Kind.file:
            content = .file(try HeldContent(from: &reader, chunkBytes: LocatedContent.chunkLimitBytes))
        case Kind.symlink: content = .symlink(try reader.text(upTo: LogLimits.symlinkTargetBytes))
        default: throw .invalid("an item of an unknown kind")
        }
        facts = Facts(
            path: try reader.text(upTo: Self.pathBytes),
            mode: UInt32(try reader.unsigned(upTo: UInt64(UInt32.max))), modified: try reader.signed(),
            changed: try reader.signed(), inode: try reader.unsigned())
        facts.attributes = try reader.list(
            upTo: LogLimits.extendedAttributes, ExtendedAttribute.init(from:))
        try reader.end()
    }
}

internal import SandboxRules
public import SystemPackage

/// An app's Documents as they lie in a cloud store, for the views on a machine that has no such device. Items
/// are numbered for the life of the view; the top is number 0.
///
/// Looking answers from memory. Reading may wait for the network, and answers when it can.
public protocol StoreDocuments: AnyObject, Sendable {
    /// - Throws: ENOENT where the item is gone.
    func item(_ number: UInt32) throws(Errno) -> StoreItem
    /// What a directory holds, by name.
    func items(in directory: UInt32) throws(Errno) -> [StoreItem]
    /// The item of that name, however it is spelled.
    /// - Throws: ENOENT.
    func item(named name: String, in directory: UInt32) throws(Errno) -> StoreItem
    /// The file's bytes as they are now: a later version does not change what is read.
    /// - Throws: EISDIR, ENOENT.
    func open(_ number: UInt32) throws(Errno) -> any StoreFile
}

/// An opened file of a store.
public protocol StoreFile: AnyObject, Sendable {
    /// Fetches bytes, fewer only at the file's end, and gives them to `done` on any thread, once; EIO
    /// where they cannot be had.
    func read(
        offset: UInt64, sizeBytes: Int, _ done: @escaping @Sendable (Result<[UInt8], Errno>) -> Void)
}

/// A document, a link, or a directory of them.
public struct StoreItem: Equatable, Sendable {
    public enum Content: Equatable, Sendable {
        case directory
        case file(sizeBytes: UInt64)
        case symlink(target: [UInt8])
    }

    public let number: UInt32
    public let name: String
    public let content: Content
    /// Permission bits.
    public let mode: UInt32
    /// Nanoseconds since 1970.
    public let modified: Int64

    public init(number: UInt32, name: String, _ content: Content, mode: UInt32, modified: Int64) {
        self.number = number
        self.name = name
        self.content = content
        self.mode = mode
        self.modified = modified
    }

    var kind: ItemKind {
        switch content {
        case .directory: .directory
        case .file: .file
        case .symlink: .symlink
        }
    }

    var sizeBytes: UInt64 {
        switch content {
        case .directory: 0
        case .file(let sizeBytes): sizeBytes
        case .symlink(let target): UInt64(target.count)
        }
    }
}

/// What a device tells all others. The rules of what each does to a tree are `TreeState`'s.
public enum Operation: Equatable, Sendable {
    case create(Creation)
    case edit(Edit)
    case move(file: FileID, parent: FileID, name: String)
    case setAttributes(file: FileID, Attributes)
    case delete(Deletion)
    /// Takes an item out of the cloud; names the contents that its sender holds.
    case withdraw(file: FileID, contents: [Revision])
    case resolve(Resolution)
    case relocate([Relocation])
    /// Ends the retention of contents that items no longer have, as soon as the collector's grace allows.
    case endHistory([EndedHistory])
    /// A client without this feature goes on reading and stops writing.
    case require(feature: String)
    /// A word of the account's own log; in another log it says nothing.
    case account(AccountOperation)
    /// A later version's: read, never written. A client that meets one goes on reading and stops writing.
    case unknown(kind: UInt64)
}

public struct Creation: Equatable, Sendable {
    public var file: FileID
    public var parent: FileID
    /// The creator's bytes, which are valid UTF-8; compared as NFC.
    public var name: String
    public var content: Content
    public var attributes: Attributes

    public init(file: FileID, parent: FileID, name: String, content: Content, attributes: Attributes) {
        self.file = file
        self.parent = parent
        self.name = name
        self.content = content
        self.attributes = attributes
    }
}

public struct Edit: Equatable, Sendable {
    public var file: FileID
    /// The revision whose bytes this edit was made on.
    public var base: Revision
    public var content: Content
    public var attributes: Attributes
    /// For a tree that has no such item any more.
    public var parent: FileID
    public var name: String

    public init(
        file: FileID, base: Revision, content: Content, attributes: Attributes, parent: FileID, name: String
    ) {
        self.file = file
        self.base = base
        self.content = content
        self.attributes = attributes
        self.parent = parent
        self.name = name
    }
}

public struct Deletion: Equatable, Sendable {
    public var file: FileID
    /// The place that its sender saw it at.
    public var place: Revision
    /// The contents that its sender saw.
    public var contents: [Revision]

    public init(file: FileID, place: Revision, contents: [Revision]) {
        self.file = file
        self.place = place
        self.contents = contents
    }
}

public struct Resolution: Equatable, Sendable {
    public var file: FileID
    public var keep: Revision
    public var contents: [Revision]
}

public struct EndedHistory: Equatable, Sendable {
    public var file: FileID
    /// Of the contents that are to go.
    public var contents: [Revision]

    public init(file: FileID, contents: [Revision]) {
        self.file = file
        self.contents = contents
    }
}

public struct Relocation: Equatable, Sendable {
    public var chunk: ContentHash
    public var locator: Locator
}

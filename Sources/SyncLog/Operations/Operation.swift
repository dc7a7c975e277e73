/// What a device tells all others. The rules of what each does to a tree are `TreeState`'s.
package enum Operation: Equatable, Sendable {
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
    /// A word of a key-value store's log; in another log nobody knows it.
    case keyValue(KeyValueOperation)
    /// A later version's: read, never written. A client that meets one goes on reading and stops writing.
    case unknown(kind: UInt64)
}

package struct Creation: Equatable, Sendable {
    package var file: FileID
    package var parent: FileID
    /// The creator's bytes, which are valid UTF-8; compared as NFC.
    package var name: String
    package var content: Content
    package var attributes: Attributes

    package init(file: FileID, parent: FileID, name: String, content: Content, attributes: Attributes) {
        self.file = file
        self.parent = parent
        self.name = name
        self.content = content
        self.attributes = attributes
    }
}

package struct Edit: Equatable, Sendable {
    package var file: FileID
    /// The revision whose bytes this edit was made on.
    package var base: Revision
    package var content: Content
    package var attributes: Attributes
    /// For a tree that has no such item any more.
    package var parent: FileID
    package var name: String

    package init(
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

package struct Deletion: Equatable, Sendable {
    package var file: FileID
    /// The place that its sender saw it at.
    package var place: Revision
    /// The contents that its sender saw.
    package var contents: [Revision]

    package init(file: FileID, place: Revision, contents: [Revision]) {
        self.file = file
        self.place = place
        self.contents = contents
    }
}

package struct Resolution: Equatable, Sendable {
    package var file: FileID
    package var keep: Revision
    package var contents: [Revision]

    package init(file: FileID, keep: Revision, contents: [Revision]) {
        self.file = file
        self.keep = keep
        self.contents = contents
    }
}

package struct EndedHistory: Equatable, Sendable {
    package var file: FileID
    /// Of the contents that are to go.
    package var contents: [Revision]

    package init(file: FileID, contents: [Revision]) {
        self.file = file
        self.contents = contents
    }
}

package struct Relocation: Equatable, Sendable {
    package var chunk: ContentHash
    package var locator: Locator

    package init(chunk: ContentHash, locator: Locator) {
        self.chunk = chunk
        self.locator = locator
    }
}

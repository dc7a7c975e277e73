package import SyncLog

/// What this device has to tell of one local change: an operation whose bytes are not read yet.
///
/// The engine reads what `source` names, asks `operation(_:)`, and journals the batch together with
/// `SyncedStorage.freeze`. A draft whose file cannot be read now is left out: no other draft depends on
/// bytes.
package struct Draft: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case create
        /// The bytes may differ from those of `base`, of which `known` is the hash and `agreed` the rest.
        case edit(base: Revision, known: ContentHash?, agreed: Attributes)
        case move
        /// A move to a name that nobody is shown, where names form a circle.
        case park
        case setAttributes
        case delete(place: Revision, contents: [Revision])
        case withdraw(contents: [Revision])
        /// Nothing is to be told: only the synced tree takes over what lies here, or that nothing does.
        case refresh
        case forget
    }

    package enum Source: Equatable, Sendable {
        case directory
        case symlink(target: [UInt8])
        /// Read with `LocalDisk.read`, expecting the draft's fingerprint.
        case file
        /// Read with `LocalDisk.readDisplaced`.
        case displaced(Displaced)
    }

    package var file: FileID
    package var kind: Kind
    /// Where it lies now; where it lay, for a delete.
    package var path: LocalPath
    package var parent: FileID
    package var name: String
    package var attributes: Attributes
    /// Of what lies there as it was planned; as it was synced, for a delete.
    package var fingerprint: Fingerprint
    /// What is there; nil where the operation carries no content.
    package var source: Source?
    /// It has to be in the same batch as the draft before it.
    package var isJoined = false
    /// Of what was displaced, as there: what lies over it is planned when this was told.
    package var layer: UInt64 = 0

    package init(
        _ kind: Kind, file: FileID, path: LocalPath, parent: FileID, name: String, attributes: Attributes,
        fingerprint: Fingerprint, source: Source? = nil
    ) {
        self.kind = kind
        self.file = file
        self.path = path
        self.parent = parent
        self.name = name
        self.attributes = attributes
        self.fingerprint = fingerprint
        self.source = source
    }
}

/// A draft that was read, with what came of it.
package struct FrozenDraft: Equatable, Sendable {
    package var draft: Draft
    /// Nil where the bytes turned out to be the known ones, and nothing is to be told.
    package var operation: Operation?
    /// What the operation makes; nil with it.
    package var revision: Revision?
    /// The fingerprint that held while the bytes were read; nil where none were.
    package var fingerprint: Fingerprint?
    /// Of the bytes read.
    package var hash: ContentHash?
}

package import SyncLog

/// What lies on this disk of an item, as both sides last agreed: a row of the synced tree.
///
/// It says what *is* on the disk, so it moves only after bytes did; where it names an operation of our own
/// that is not committed yet, edits are based on that.
package struct SyncedItem: Equatable, Sendable {
    package var file: FileID
    /// Where it lies on this disk.
    package var parent: FileID
    package var name: String
    /// It lies under another name than in the cloud, because an item that is excluded here has that.
    package var isBesideExcluded = false
    /// The place that it was last known at in the cloud: what a delete names.
    package var place: Revision
    package var kind: LocalItem.Kind
    /// The operation that made the bytes which are on this disk; nil for a directory.
    package var revision: Revision?
    /// Of a file's bytes; nil for everything else.
    package var hash: ContentHash?
    /// Of what lies here. Of a directory only the inode counts: its times change with what it holds.
    package var fingerprint: Fingerprint
    package var attributes: Attributes
    /// Its bytes are not here.
    package var isDataless = false
    /// A directory that is deleted in the cloud and holds what never was there: it stays until it is empty. A
    /// document that is made in it revives it.
    package var isLingering = false
    /// The conflict versions, by all their revisions, that the tree listed when the item was last seen to lie
    /// here: only these may a delete name beside its own content.
    package var shown: [Revision] = []

    package var isDirectory: Bool { kind == .directory }
}

/// A file that a download displaced, or a remote delete removed, while somebody may have had it open.
package struct DisplacedItem: Equatable, Sendable {
    /// Its name in staging.
    package var name: String
    /// Which inode it is: another one under that name is a half-written download.
    package var fingerprint: Fingerprint
    package var file: FileID
    /// What its bytes were when it was displaced: if it holds others now, they are an edit of this.
    package var base: Revision
    package var hash: ContentHash
    /// Where it was, for a tree that does not know it any more.
    package var parent: FileID
    package var itemName: String
    /// What the batch in flight says of it, so that it may be dropped when that is durable.
    package var sent: ContentHash?
    /// A person put a backup's document over it, which is an edit of it: this is told first. Of an item's
    /// each is an edit of the one whose number is lower. 0: that is not so.
    package var layer: UInt64 = 0
    /// Of its item's row just then: as long as it is that, what lies here is not what the row says.
    package var rowFingerprint = Fingerprint.none
}

/// What is about to be done to the disk, written before it is done: after a kill in between, the disk is
/// looked at to see whether it was done, instead of taking it for a person's change.
package struct Intention: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case place, make, move, remove, attributes
    }

    package var kind: Kind
    /// The row as it will be when it is done, but for the fingerprint; as it was, for a removal.
    package var after: SyncedItem
}

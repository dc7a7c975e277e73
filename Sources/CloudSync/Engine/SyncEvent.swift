package import SyncContent

/// Where the engine tells what a person may want to see at once (`apphome watch`). Called on the engine's
/// thread; must not wait.
package protocol SyncEventSink: Sendable {
    func report(_ event: SyncEvent)
}

package struct SyncEvent: Equatable, Sendable {
    /// The app's bundle identifier; nil: the account as a whole.
    package var app: String?
    package var kind: Kind

    package enum Kind: Equatable, Sendable {
        /// A batch of that many operations of this device is in the log.
        case committed(operations: Int)
        /// Entries of the log were applied to the tree, up to this slot.
        case pulled(upTo: UInt64)
        /// A remote change is on this disk.
        case applied(LocalPath)
        /// So many inferred deletes wait for `cloud sync --confirm-deletes`.
        case deletesHeld(Int)
        /// This device's identity was found to be in use elsewhere, or rolled back: it has a new one now.
        case becameAnotherDevice
        /// An item that is excluded here has a namesake in the cloud, which is shown under this path.
        case renamedBesideExcluded(LocalPath)
        case troubleBegan(SyncTrouble)
        case troubleEnded
    }
}

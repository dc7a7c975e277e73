internal import SandboxRules

/// How much of an app's documents a view of a store shows.
public enum StoreViewKind: Sendable {
    /// As iTunes File Sharing does: the top-level items, with folders that stay closed.
    case sharing
    /// The same without closed folders.
    case deepSharing
    /// As the Files app does: all of it.
    case files

    /// Whether the view has the item.
    func shows(_ item: StoreItem) -> Bool {
        switch self {
        case .sharing:
            var name = item.name
            return name.withUTF8 {
                SharingRule.isItem(UnsafeRawBufferPointer($0), kind: item.kind)
            }
        // A link would resolve on the reader's system.
        case .deepSharing: return item.kind != .symlink
        case .files: return true
        }
    }

    /// Whether folders below the top can be looked into.
    var opensFolders: Bool { if case .sharing = self { false } else { true } }

    /// The permission bits of an item below the top. Nothing can be written.
    func permissions(of item: StoreItem) -> UInt32 {
        switch self {
        case .sharing: SharingRule.permissions(of: item.kind, backing: item.mode)
        case .deepSharing, .files: item.mode & 0o555
        }
    }
}

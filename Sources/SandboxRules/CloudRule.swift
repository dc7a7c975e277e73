/// What under Documents has no place in the cloud, by its name and kind (SPEC 7). The skip-backup flag is
/// asked beside it (`SkipBackup`), and what lies below an excluded directory is excluded by that.
public enum CloudRule {
    public enum Exclusion: UInt8, Sendable, CaseIterable {
        /// `.Trash`, `*.nosync`, `*.tmp`, `.DS_Store`, `Documents/Inbox`, names that are no UTF-8, and
        /// temporary files of programs (`isNameOfTemporaryFile`).
        case name
        /// A socket, a fifo, a device.
        case kind
    }

    /// Why an item does not sync; nil where nothing speaks against it.
    /// - Parameter isTopLevel: it lies in Documents itself.
    public static func exclusion(
        of name: UnsafeRawBufferPointer, kind: ItemKind, isTopLevel: Bool
    ) -> Exclusion? {
        if kind == .special { return .kind }
        if name.isEqual(to: ".Trash") || name.isEqual(to: ".DS_Store") { return .name }
        if name.hasSuffix(".nosync") || name.hasSuffix(".tmp") { return .name }
        if isTopLevel && name.isEqual(to: "Inbox") { return .name }
        // No directory: its documents would go with it, and no program makes one of such a name.
        if kind != .directory && name.isNameOfTemporaryFile { return .name }
        return nil
    }
}

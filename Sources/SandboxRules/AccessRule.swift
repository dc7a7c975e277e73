/// What an app wants to do to an item. Reading is always left to the mode bits.
public enum AppOperation: UInt8, Sendable, CaseIterable {
    /// Make anything new under a name: file, directory, symlink, fifo.
    case create
    /// Unlink a file or remove a directory.
    case remove
    /// Rename: the name that goes.
    case renameFrom
    /// Rename: the name that comes, whether something has it already or not.
    case renameTo
    /// Rename with EXCHANGE: asked for both names.
    case exchange
    /// link(2): the item that gets another name.
    case linkFrom
    /// link(2): the name that comes.
    case linkTo
    /// Write, truncate, allocate; change mode, owner, times or extended attributes.
    case modify
}

/// What an app may do where. Mode bits come first, and are the kernel's matter.
public enum AccessRule {
    /// Decides one half of an operation: rename and link ask for each of their two names.
    ///
    /// - Parameters:
    ///   - directory: the place of the directory that holds the item or is to hold it. A root that has no
    ///     parent gives its own place for both.
    ///   - item: the item's own place, for a name that comes: `directory.place(ofChild:…)` of that name.
    /// - Returns: nil where the rules allow it; else the rule that refuses, answered EPERM.
    public static func refusal(
        of operation: AppOperation, in directory: Place, item: Place
    ) -> Refusal? {
        if operation == .modify { return refusalToModify(item) }
        switch directory {
        case .bundle: return operation == .linkFrom ? .linkAcrossAreas : .bundleIsSigned
        case .inbox: return refusalInInbox(of: operation)
        case .syncedPreferences: return .syncedPreferences
        case .systemData: return .systemData
        case .home: return refusalAtTopLevel(of: item)
        default: return refusalToRename(item)
        }
    }

    /// Whether an item's bytes and attributes may change, also through handles that were opened elsewhere.
    public static func refusalToModify(_ item: Place) -> Refusal? {
        switch item {
        case .bundle: .bundleIsSigned
        case .inbox: .inboxIsReadAndDelete
        case .syncedPreferences: .syncedPreferences
        case .home: .homeTopLevel
        case .systemData: .systemData
        // Attributes of the standard directories are the app's: it may flag Library/Caches as not backed up.
        case .documents, .library, .preferences, .caches, .temporary, .group, .free: nil
        }
    }

    private static func refusalInInbox(of operation: AppOperation) -> Refusal? {
        switch operation {
        // Moving out is a delete here.
        case .remove, .renameFrom: nil
        case .linkFrom: .linkAcrossAreas
        case .create, .renameTo, .exchange, .linkTo, .modify: .inboxIsReadAndDelete
        }
    }

    private static func refusalAtTopLevel(of item: Place) -> Refusal {
        if item == .bundle { return .bundleIsSigned }
        return item.isStandardDirectory ? .standardDirectory : .homeTopLevel
    }

    /// Everywhere else only the entries that the system keeps are closed to the app.
    private static func refusalToRename(_ item: Place) -> Refusal? {
        switch item {
        case .free: nil
        case .documents, .library, .preferences, .caches, .temporary, .inbox: .standardDirectory
        case .home, .group: .homeTopLevel
        case .bundle: .bundleIsSigned
        case .syncedPreferences: .syncedPreferences
        case .systemData: .systemData
        }
    }
}

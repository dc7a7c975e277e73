/// Where an item stands, as far as the rules care: the whole input of `AccessRule`.
///
/// An inode's place follows from its parent's place and its own name, so a tree finds it by walking from
/// its root (`home`, `group` or `bundle`) downwards, and a rename to another parent changes it at once.
public enum Place: UInt8, Sendable, CaseIterable {
    /// The home directory itself: the app's top level.
    case home
    /// The bundle directory, and everything in it.
    case bundle
    /// `Documents` itself.
    case documents
    /// `Documents/Inbox` itself, and everything in it.
    case inbox
    /// `Library` itself.
    case library
    /// `Library/Preferences` itself.
    case preferences
    /// `Library/SyncedPreferences` itself, and everything in it: what the key-value store has, for reading.
    case syncedPreferences
    /// `Library/Caches` itself.
    case caches
    /// `tmp` itself.
    case temporary
    /// What the system keeps for itself: `SystemData`, a container's metadata, anything else that lies at
    /// the top level beside the standard directories; and everything in these.
    case systemData
    /// The root of an app group's container.
    case group
    /// Anything deeper in an area where the app may do as it likes.
    case free
}

extension Place {
    /// The file in which a container keeps its own identity, on the device as here.
    public static let metadataFileName: StaticString = ".com.apple.mobile_container_manager.metadata.plist"

    /// The place of a child of the directory that stands here. Allocates nothing for ASCII names.
    ///
    /// The names that the system reserves below the top level are reserved for every kind of item: a file
    /// called `Inbox` would keep the system from making its directory.
    ///
    /// - Parameters:
    ///   - name: the child's name, stored or about to be made.
    ///   - isDirectory: whether the child is a directory, or is to become one.
    ///   - policy: how names are compared; `simulator` also knows `documents/INBOX`.
    public func place(
        ofChild name: UnsafeRawBufferPointer, isDirectory: Bool, under policy: NamePolicy = .device
    ) -> Place {
        switch self {
        case .bundle, .inbox, .syncedPreferences, .systemData: self
        case .home: isDirectory ? Self.topLevelPlace(of: name, under: policy) : .systemData
        case .documents: policy.isSpelling(name, of: "Inbox") ? .inbox : .free
        case .library: Self.libraryPlace(of: name, under: policy)
        case .group: policy.isSpelling(name, of: Self.metadataFileName) ? .systemData : .free
        case .preferences, .caches, .temporary, .free: .free
        }
    }

    /// Whether the app does not see this child of the directory that stands here: neither listed nor found.
    public func hidesFromApp(child name: UnsafeRawBufferPointer, under policy: NamePolicy = .device) -> Bool {
        switch self {
        case .home:
            policy.isSpelling(name, of: "SystemData") || policy.isSpelling(name, of: Self.metadataFileName)
        case .group: policy.isSpelling(name, of: Self.metadataFileName)
        default: false
        }
    }

    /// Whether this is a directory that the system makes and that no app makes, renames or removes.
    /// `inbox` and `syncedPreferences` are not counted: the same values stand for what lies in them.
    public var isStandardDirectory: Bool {
        switch self {
        case .documents, .library, .preferences, .caches, .temporary: true
        case .home, .bundle, .inbox, .syncedPreferences, .systemData, .group, .free: false
        }
    }

    private static func topLevelPlace(of name: UnsafeRawBufferPointer, under policy: NamePolicy) -> Place {
        if policy.isSpelling(name, of: "Documents") { return .documents }
        if policy.isSpelling(name, of: "Library") { return .library }
        if policy.isSpelling(name, of: "tmp") { return .temporary }
        return name.hasSuffix(".app") ? .bundle : .systemData
    }

    private static func libraryPlace(of name: UnsafeRawBufferPointer, under policy: NamePolicy) -> Place {
        if policy.isSpelling(name, of: "Caches") { return .caches }
        if policy.isSpelling(name, of: "Preferences") { return .preferences }
        if policy.isSpelling(name, of: "SyncedPreferences") { return .syncedPreferences }
        return .free
    }
}

extension NamePolicy {
    /// Whether `name` is one of the spellings of a system name (ASCII, without `K`, `;` and the backtick,
    /// so that only case can differ).
    func isSpelling(_ name: UnsafeRawBufferPointer, of systemName: StaticString) -> Bool {
        guard self == .simulator else { return name.isEqual(to: systemName) }
        if name.isASCII { return name.isEqualIgnoringCase(to: systemName) }
        return key(name) == key(UnsafeRawBufferPointer(systemName))
    }
}

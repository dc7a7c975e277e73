/// The iTunes File Sharing view: which apps have it, and what is in it.
public enum SharingRule {
    /// Whether the view has a top-level item of `Documents`.
    ///
    /// Names that begin with a dot are hidden. Symlinks and special files would mean something else on the
    /// reader's system, so they are not items at all: not listed, and ENOENT.
    public static func isItem(_ name: UnsafeRawBufferPointer, kind: ItemKind) -> Bool {
        if name.isEmpty || name[0] == UInt8(ascii: ".") { return false }
        return kind == .file || kind == .directory
    }

    /// The permission bits of an item in the view: subdirectories are closed, for root too; files can be
    /// read by those who could, and nothing can be written.
    public static func permissions(of kind: ItemKind, backing: UInt32) -> UInt32 {
        kind == .directory ? 0 : backing & 0o555
    }

    /// Who may have the view: nil where it is given.
    ///
    /// - Parameter keys: the app's; nil where there is no such app, or only its data (a placeholder).
    public static func refusal(for keys: SharingKeys?) -> SharingRefusal? {
        guard let keys else { return .applicationLookupFailed }
        return keys.itunes ? nil : .installationLookupFailed
    }
}

/// Why an app's Documents are not shared, by the names that a device gives.
public enum SharingRefusal: String, Sendable, CaseIterable {
    case applicationLookupFailed = "ApplicationLookupFailed"
    case installationLookupFailed = "InstallationLookupFailed"

    /// What, why, and what to do, in one line.
    public func message(app: String) -> String {
        switch self {
        case .applicationLookupFailed:
            "no app \(app) is installed (a device says \(rawValue)). See: apphome list"
        case .installationLookupFailed:
            "\(app) does not share its Documents: Info.plist lacks UIFileSharingEnabled"
                + " (a device says \(rawValue)). Add the key and install again."
        }
    }
}

/// What a container is to a backup.
public enum BackedUpContainer: UInt8, Sendable, CaseIterable {
    /// An app's data: only `Documents` and `Library` are looked at.
    case appData
    /// An app group's: everything is looked at.
    case group
}

/// Which items a backup holds, before the skip flag is asked. The lists are those of iOS's own backup.
public enum BackupRule {
    /// Why an item stays out. A directory that stays out takes all below it along.
    public enum Exclusion: UInt8, Sendable, CaseIterable {
        /// Outside `Documents` and `Library`.
        case outsideRoots
        /// A directory that the system can make again, or its own records.
        case systemDirectory
        /// A socket, fifo or device.
        case unsupportedKind
        /// What an interrupted save of a property list or of cookies left behind.
        case saveLeftover
        /// The path is too long for iOS's backup: worth a warning.
        case pathTooLong
    }

    /// The shortest absolute path on a device, in bytes, that its backup refuses.
    public static let refusedPathBytes = 998

    /// Whether a backup holds an item that carries no skip flag and lies below none.
    ///
    /// - Parameter relativePath: from the container's root, parts joined by `/`; "" is the root itself.
    public static func includes(
        relativePath: String, kind: ItemKind, in container: BackedUpContainer = .appData
    ) -> Bool {
        exclusion(of: relativePath, kind: kind, in: container) == nil
    }

    /// As `includes`, with the reason; nil for an item that a backup holds.
    public static func exclusion(
        of relativePath: String, kind: ItemKind, in container: BackedUpContainer = .appData
    ) -> Exclusion? {
        if relativePath.isEmpty { return nil }
        if container == .appData, !roots.contains(where: { relativePath.isAtOrBelow($0) }) {
            return .outsideRoots
        }
        if excluded(in: container).contains(where: { relativePath.isAtOrBelow($0) }) {
            return .systemDirectory
        }
        if devicePrefixBytes(of: container) + relativePath.utf8.count >= refusedPathBytes {
            return .pathTooLong
        }
        switch kind {
        case .special: return .unsupportedKind
        case .file: return isSaveLeftover(relativePath) ? .saveLeftover : nil
        case .directory, .symlink: return nil
        }
    }

    private static let roots = ["Documents", "Library"]
    private static let excludedEverywhere = [
        "Library/Caches", "Library/SyncedPreferences", "Library/Saved Application State",
        "Library/SplashBoard", "SystemData/com.apple.AuthenticationServices", "SystemData/com.apple.chrono",
    ]

    private static func excluded(in container: BackedUpContainer) -> [String] {
        container == .appData
            ? excludedEverywhere : excludedEverywhere + [Place.metadataFileName.description]
    }

    private static func devicePrefixBytes(of container: BackedUpContainer) -> Int {
        let parent: StaticString =
            switch container {
            case .appData: "/var/mobile/Containers/Data/Application/"
            case .group: "/var/mobile/Containers/Shared/AppGroup/"
            }
        let uuidBytes = 36
        return parent.utf8CodeUnitCount + uuidBytes + 1
    }

    private static func isSaveLeftover(_ path: String) -> Bool {
        let nameStart = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let name = path[(nameStart ?? path.startIndex)...]
        if name.hasPrefix(".dat.nosync") { return true }
        if name.hasSuffix(".dat"), path.contains("binarycookies_tmp") { return true }
        // `settings.plist.aB3xY9z`: seven bytes behind a whole name.
        return name.utf8.count > 7 && Substring(name.utf8.dropLast(7)).hasSuffix(".plist.")
            && !name.utf8.suffix(7).contains(UInt8(ascii: "."))
    }
}

extension String {
    /// Whether this path is `directory` or lies in it; compared by bytes.
    fileprivate func isAtOrBelow(_ directory: String) -> Bool {
        guard utf8.starts(with: directory.utf8) else { return false }
        let rest = utf8.dropFirst(directory.utf8.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/")
    }
}

internal import Posix
internal import SystemPackage

/// How many bytes the files of an app hold, by area. No byte is counted in two areas.
public struct AppSizes: Sendable, Equatable {
    public fileprivate(set) var documents: Int64 = 0
    /// Without `Library/Caches` and `Library/Preferences`.
    public fileprivate(set) var library: Int64 = 0
    public fileprivate(set) var caches: Int64 = 0
    public fileprivate(set) var preferences: Int64 = 0
    public fileprivate(set) var temporary: Int64 = 0
    /// 0 for a placeholder.
    public fileprivate(set) var bundle: Int64 = 0

    /// Each area by the name that a person knows it by.
    public var values: [(area: String, bytes: Int64)] {
        [
            ("Documents", documents), ("Library", library), ("Library/Caches", caches),
            ("Library/Preferences", preferences), ("tmp", temporary), ("bundle", bundle),
        ]
    }
}

extension Device {
    /// Adds up the sizes of the app's files, as they are now; a file with several links counts once.
    public func sizes(of app: InstalledApp) throws(DeviceError) -> AppSizes {
        try performing("add up the files of \(app.name)") {
            var sizes = AppSizes()
            let data = try FileTree.openDirectory(directory, app.dataPath)
            var sum = SizeSum()
            sizes.documents = try sum.of("Documents", in: data.raw)
            sizes.caches = try sum.of("Library/Caches", in: data.raw)
            sizes.preferences = try sum.of("Library/Preferences", in: data.raw)
            sizes.library = try sum.of("Library", in: data.raw)
            sizes.temporary = try sum.of("tmp", in: data.raw)
            if let bundle = app.bundlePath { sizes.bundle = try sum.of(bundle, in: directory) }
            return sizes
        }
    }
}

/// Adds up files below directories, each inode once over the life of the sum. What its owner closed to itself
/// is not counted: that must keep nobody from running the app.
private struct SizeSum {
    // Directories, and files with more than one link.
    private var seen: Set<FileIdentity> = []

    mutating func of(_ path: String, in directory: Int32) throws(Errno) -> Int64 {
        var bytes: Int64 = 0
        do {
            let opened = try FileTree.openDirectory(directory, path)
            guard seen.insert(try ItemStamp(of: opened.raw).identity).inserted else { return 0 }
            try FileWalk.run(below: opened.raw) { _, stamp, _ in
                if stamp.isRegular, stamp.links == 1 || seen.insert(stamp.identity).inserted {
                    bytes = bytes.addingSaturated(Int64(clamping: stamp.sizeBytes))
                }
                return stamp.isDirectory && seen.insert(stamp.identity).inserted
            }
        } catch Errno.noSuchFileOrDirectory, Errno.permissionDenied {
            return 0
        }
        return bytes
    }
}

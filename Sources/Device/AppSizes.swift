internal import Posix
internal import SandboxRules
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

extension Device {
    /// What `uninstall` takes off the device, by names that a person knows: each part that has bytes.
    public func parts(of app: InstalledApp) throws(DeviceError) -> [(name: String, bytes: Int64)] {
        let areas = try sizes(of: app).values
        return try performing("add up the files of \(app.name)") {
            var parts = areas.map { ($0.area == "bundle" ? "bundle \(app.bundleName)" : $0.area, $0.bytes) }
            var sum = SizeSum()
            let system = try sum.of("\(app.dataPath)/SystemData", in: directory)
            parts.append(("SystemData", system))
            let others = try catalogue.apps().filter { $0.bundleID != app.bundleID }
            for group in app.groups where !others.contains(where: { $0.groups.contains(group) }) {
                guard let container = try catalogue.groupContainer(group) else { continue }
                let bytes = try sum.of(Layout.groupContainer(container), in: directory)
                parts.append(("group \(group.value)", bytes))
            }
            let tools = try sum.of(Layout.toolHome(of: app.bundleID.value), in: directory)
            parts.append(("tool home of apphome run", tools))
            let kept = try keptCopy(of: app.bundleID, &sum)
            parts.append(("what its last restore replaced", kept?.bytes ?? 0))
            return parts.filter { $0.1 > 0 }.map { (name: $0.0, bytes: $0.1) }
        }
    }
}

/// Adds up files below directories, each inode once over the life of the sum. What its owner closed to itself
/// is not counted: that must keep nobody from running the app.
struct SizeSum {
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

internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// A device of this user's, and what uses it.
struct KnownDevice: Encodable, Equatable {
    /// Its name; its path, where it has none.
    var name: String
    var path: String
    /// Nil where no daemon serves it, and where it is not known.
    var id: String?
    var mounts: [KnownMount] = []

    struct KnownMount: Encodable, Equatable {
        var kind: MountKind
        /// The app's identifier, or the group's name; empty where the device is shown.
        var of: String
        /// How that is called.
        var name: String
        var dir: String
    }

    /// Another user's: whether a daemon serves it is not asked, and seen by its mounts alone.
    var isOfOther = false

    var state: String {
        if isOfOther { return mounts.isEmpty ? "another user's" : "another user's, " + count }
        return id == nil ? "idle" : "running, " + count
    }

    private var count: String { counted(mounts.count, "mount") }

    /// Those with a name, and those with a path of their own that were mounted, by name.
    static func all() throws -> [KnownDevice] {
        let folder = try DeviceLocation.devicesFolder(of: nil)
        // Nothing is there before the first device.
        let listing = try? SharedDescriptor(Descriptor(folder, flags: O_RDONLY | O_DIRECTORY))
        let names = try listing.map { try DirectoryEntries.names(in: $0.raw).map(\.nameText) } ?? []
        let paths = names.filter { !$0.hasPrefix(".") }.map { folder + "/" + $0 }
        var seen: Set<String> = []
        let table = try MountTable.current()
        return try (paths + DeviceIndex.paths.sorted()).compactMap { path in
            let location = try DeviceLocation(path)
            guard !location.isMissing, seen.insert(path).inserted else { return nil }
            var device = KnownDevice(name: location.name, path: path)
            // Asking another user's daemon, root would become that user for good.
            let isOfOther = try location.folderOwner.map { $0.uid != Process.effectiveUserID } ?? false
            device.isOfOther = isOfOther
            device.id =
                isOfOther
                ? DeviceIndex.identifier(of: path)
                : (try? DaemonClient.connectIfRunning(to: location))?.hello.deviceID
            // Nothing of another user's is read.
            let words = isOfOther ? [:] : Completion.words(of: location)
            device.mounts = table.entries.compactMap { entry in
                guard entry.type == Mounting.fileSystemType, let source = MountSource(entry.source),
                    source.deviceID == device.id
                else { return nil }
                return KnownMount(
                    kind: source.kind, of: source.bundleID, name: words[source.bundleID] ?? source.bundleID,
                    dir: entry.mountPoint)
            }
            return device
        }.sorted { ($0.name, $0.path) < ($1.name, $1.path) }
    }
}

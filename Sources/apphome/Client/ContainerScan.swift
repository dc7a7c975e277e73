internal import CLinux
internal import Doctor
internal import FuseKit
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// Notices paths of containers in what programs write to an app's home and its groups, for `watch --scan`. It
/// works with this user's rights, as `doctor` does, and no program waits for it.
///
/// The kernel tells (inotify) which files were closed after they were written, or got a name, in the mounts
/// of the home and the groups; each is searched then. What stays open is missed, and what is written through
/// other views.
final class ContainerScan {
    /// A mount whose directories are watched.
    private struct Place: Equatable {
        let mountID: Int
        let mountPoint: String
        /// Before the paths of what lies in it: nothing for the home, a group's name and a slash.
        let prefix: String
    }

    private struct Watched {
        let place: Place
        /// From the mount's top; "" for that.
        let path: String

        func path(of name: String) -> String { path.isEmpty ? name : path + "/" + name }
    }

    private let location: DeviceLocation
    private let deviceID: String?
    private let app: AppInfo
    private let tell: @Sendable (WatchedEvent) -> Void
    private let inotify: Inotify
    private let mounts: Descriptor
    private var places: [Place] = []
    private var watched: [Int32: Watched] = [:]
    private var files: WrittenFiles?
    /// What was looked at lately: in a directory that is new an item is met twice.
    private var latest: [(path: String, stamp: ItemStamp)] = []
    /// When everything was watched the last time: what is changed later in a home that is mounted later was
    /// written since.
    private var settled = ItemStamp.now

    private static let mask =
        UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_ONLYDIR)
        | UInt32(IN_EXCL_UNLINK)
    private static let mostLatest = 64
    /// What lies deeper is missed: a descriptor is held for each level.
    private static let mostDepth = 64

    /// - Parameter tell: called for each finding, on the thread of `run`.
    init(
        _ app: String, at location: DeviceLocation, tell: @escaping @Sendable (WatchedEvent) -> Void
    ) throws {
        let client = try DaemonClient.connect(to: location)
        self.location = location
        self.tell = tell
        deviceID = client.hello.deviceID
        self.app = try client.ask(.info(of: app))
        inotify = try Inotify()
        mounts = try Descriptor("/proc/self/mountinfo", flags: 0)
        // What is mounted now is watched when this returns.
        try lookAtMounts(since: nil)
    }

    /// Looks until this process ends.
    func run() throws {
        while true {
            settled = ItemStamp.now
            var polled = [
                pollfd(fd: inotify.raw, events: Int16(POLLIN), revents: 0),
                // Changes are told as errors: it is always readable.
                pollfd(fd: mounts.raw, events: 0, revents: 0),
            ]
            guard poll(&polled, 2, -1) > 0 else { continue }
            if polled[1].revents != 0 { try lookAtMounts(since: settled) }
            if polled[0].revents != 0 { inotify.take(take) }
        }
    }

    // MARK: - What is watched

    /// - Parameter time: what was changed later is searched; nil: nothing of what is there.
    private func lookAtMounts(since time: Int64?) throws {
        let now = try MountTable.current().entries.compactMap { entry -> Place? in
            guard let source = MountSource(entry.source), source.deviceID == deviceID else { return nil }
            let prefix: String
            switch source.kind {
            case .home where source.bundleID == app.bundleID: prefix = ""
            case .group where app.groups.contains(source.bundleID): prefix = source.bundleID + "/"
            default: return nil
            }
            return Place(mountID: entry.mountID, mountPoint: entry.mountPoint, prefix: prefix)
        }
        let new = now.filter { !places.contains($0) }
        places = now
        guard !new.isEmpty else { return }
        // An update gives containers other names.
        let facts = try DaemonClient.connect(to: location).ask(.doctorFacts(of: app.bundleID))
        let book = ExaminedApp(facts, bundleName: "").containers
        for place in new {
            files = WrittenFiles(book, databases: databases(book))
            watch(Watched(place: place, path: ""), since: time, depth: 0)
        }
    }

    private func databases(_ book: ContainerBook) -> DatabaseSearchProcess {
        let groups = places.filter { !$0.prefix.isEmpty }.map {
            (String($0.prefix.dropLast()), $0.mountPoint)
        }
        return DatabaseSearchProcess(
            known: book.ids, home: places.first { $0.prefix.isEmpty }?.mountPoint ?? "/",
            groups: Dictionary(groups) { first, _ in first })
    }

    /// Watches a directory and all below it.
    private func watch(_ directory: Watched, since time: Int64?, depth: Int) {
        guard depth < Self.mostDepth, let opened = open(directory) else { return }
        do throws(Errno) {
            // The same number where it was watched under another name.
            watched[try inotify.watch(opened.raw, for: Self.mask)] = directory
        } catch {
            guard error == .noSpace else { return }
            return missed("the kernel watches no more directories (fs.inotify.max_user_watches)")
        }
        for name in (try? DirectoryEntries.names(in: opened.raw).map(\.nameText)) ?? [] {
            // Neither is kept by an update.
            if directory.place.prefix.isEmpty, depth == 0, name == "tmp" || name.hasSuffix(".app") {
                continue
            }
            guard let stamp = try? ItemStamp(opened.raw, name) else { continue }
            if stamp.isDirectory {
                watch(
                    .init(place: directory.place, path: directory.path(of: name)), since: time,
                    depth: depth + 1)
            } else if let time, stamp.changed >= time {
                look(at: name, in: opened.raw, directory)
            }
        }
    }

    /// - Returns: nil where it is gone, or something else is there.
    private func open(_ directory: Watched) -> SharedDescriptor? {
        let path = directory.place.mountPoint + "/" + directory.path
        let raw = lx_open_without_links(path, O_RDONLY | O_DIRECTORY)
        return raw < 0 ? nil : SharedDescriptor(Descriptor(owning: raw))
    }

    private func look(at name: String, in directory: Int32, _ watched: Watched) {
        let path = watched.place.prefix + watched.path(of: name)
        guard let stamp = try? ItemStamp(directory, name) else { return }
        if latest.contains(where: { $0.path == path && $0.stamp == stamp }) { return }
        latest.append((path, stamp))
        if latest.count > Self.mostLatest { latest.removeFirst() }
        for finding in files?.look(at: name, in: directory, path: path) ?? [] {
            tell(
                WatchedEvent(
                    sequence: 0, time: .now, app: app.bundleID, event: "container-path", path: path,
                    detail: finding.detail))
        }
    }

    private func missed(_ why: String) { printError("apphome: note: --scan misses something: \(why)") }

    // MARK: - Events

    private func take(_ event: inotify_event, _ name: String) {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return missed("more is written than it follows") }
        if event.mask & UInt32(IN_IGNORED) != 0 { watched[event.wd] = nil }
        guard let directory = watched[event.wd], !name.isEmpty else { return }
        if event.mask & UInt32(IN_ISDIR) != 0 {
            let depth = directory.path.pathParts.count + 1
            return watch(
                .init(place: directory.place, path: directory.path(of: name)), since: 0, depth: depth)
        }
        guard let opened = open(directory) else { return }
        // A file that is only made will be closed; a link is all there.
        let isMade = event.mask & UInt32(IN_CREATE) != 0
        if isMade, (try? ItemStamp(opened.raw, name))?.isSymlink != true { return }
        look(at: name, in: opened.raw, directory)
    }
}

extension ItemStamp {
    /// The time as file systems have it, which may be a tick behind.
    fileprivate static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// The app's metadata query (NSMetadataQuery): what matches in its mounted home, then what comes, changes and
/// goes, a line of JSON each.
///
/// The kernel tells (inotify) what programs do through the mount, the daemon what comes from elsewhere. Each
/// says only where to look.
final class MetadataQuery {
    /// Where it looks.
    enum Scope: String, CaseIterable {
        case documents, all

        /// Directories of the home.
        var directories: [String] { self == .documents ? ["Documents"] : ["Documents", "Library", "tmp"] }
    }

    private let pattern: String
    private let predicate: QueryPredicate?
    private let scope: Scope
    private let inotify: Inotify
    private var tree: QueryTree
    private let app: String
    /// The mount that it looks at.
    private let mount: UInt64
    private var watched: [Int32: String] = [:]
    /// Directories to look at.
    private var dirty: Set<String> = []
    private let hints: Hints

    private static let mask =
        UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVED_TO)
        | UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_ONLYDIR)
        | UInt32(IN_EXCL_UNLINK)
    /// So long changes gather.
    private static let gatherMilliseconds: Int32 = 200
    /// So long after the daemon told of something all is looked at again: how an item stands with the cloud
    /// changes without a word about it.
    private static let settleSeconds = 1.0
    /// Looking at all takes so small a part of the time at most.
    private static let pauseFactor = 10.0

    /// - Parameters:
    ///   - pattern: of names; of paths from the home where it has a slash.
    ///   - location: of the device.
    init(
        _ app: String, at location: DeviceLocation, matching pattern: String, _ predicate: QueryPredicate?,
        in scope: Scope
    ) throws {
        let client = try DaemonClient.connect(to: location)
        let info = try client.ask(.info(of: app))
        guard let home = info.mounts.first(where: { $0.kind == .home })?.dir else {
            throw CommandFailure(
                "\(info.name) is not mounted, and nothing changes there; mount it first: apphome mount"
                    + " \(shellQuoted(info.name)) DIR")
        }
        self.pattern = pattern
        self.predicate = predicate
        self.scope = scope
        inotify = try Inotify()
        tree = QueryTree(home: home)
        self.app = info.name
        mount = try ItemStamp(lx_at_fdcwd, home).device
        hints = try Hints()
        // Before the first look: nothing is missed in between.
        try hints.follow(info.bundleID, at: location)
    }

    /// Prints until the daemon ends.
    /// - Parameter show: is given each line.
    /// - Throws: where the home was unmounted: what is in it is not gone for that.
    func run(_ show: (QueryLine) -> Void) throws {
        for directory in scope.directories { look(at: directory, isWhole: true) { _ in } }
        let found = tree.items.filter(matches).sorted { $0.path < $1.path }
        for item in found { show(.item("found", item)) }
        show(.gathered(found.count))
        var settle: Deadline?
        while !hints.hasEnded {
            _ = try Waiting.wait(for: [inotify.raw, hints.wakeUp.raw], until: settle)
            // More is on its way.
            usleep(UInt32(Self.gatherMilliseconds) * 1000)
            guard (try? ItemStamp(lx_at_fdcwd, tree.home))?.device == mount else {
                throw CommandFailure("\(app) was unmounted: nothing more is seen of it")
            }
            if takeHints(), settle == nil { settle = Deadline(seconds: Self.settleSeconds) }
            if settle?.hasPassed == true {
                settle = nil
                let start = lx_monotonic_nanoseconds()
                dirty = []
                for directory in scope.directories {
                    look(at: directory, isWhole: true) { self.tell($0, show) }
                }
                let seconds = Double(lx_monotonic_nanoseconds() - start) / 1e9
                if tree.items.contains(where: \.isUnderWay) {
                    settle = Deadline(seconds: max(Self.settleSeconds, seconds * Self.pauseFactor))
                }
            }
            let directories = dirty.sorted()
            dirty = []
            for directory in directories { look(at: directory, isWhole: false) { self.tell($0, show) } }
        }
    }

    private func look(at path: String, isWhole: Bool, _ tell: (QueryTree.Change) -> Void) {
        tree.look(
            at: path, isWhole: isWhole,
            watch: { path, directory in
                do { watched[try inotify.watch(directory, for: Self.mask)] = path } catch {
                    printError("apphome: note: \(printable(path)) is not watched: \(error)")
                }
            }, tell: tell)
    }

    private func matches(_ item: QueryItem) -> Bool {
        QueryPredicate.isLike(pattern.hasSlash ? item.path : item.name, pattern)
            && predicate?.matches(item) ?? true
    }

    private func tell(_ change: QueryTree.Change, _ show: (QueryLine) -> Void) {
        switch change {
        case .came(let item): if matches(item) { show(.item("added", item)) }
        case .went(let item): if matches(item) { show(.item("removed", item)) }
        case .changed(let old, let new):
            switch (matches(old), matches(new)) {
            case (true, true): show(.item("changed", new))
            case (false, true): show(.item("added", new))
            case (true, false): show(.item("removed", new))
            case (false, false): break
            }
        }
    }

    /// - Returns: whether the daemon told of something, or the kernel lost something.
    private func takeHints() -> Bool {
        var isLost = false
        inotify.take { event, _ in
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isLost = true }
            guard let path = watched[event.wd] else { return }
            dirty.insert(path)
            if event.mask & UInt32(IN_IGNORED) != 0 { watched[event.wd] = nil }
        }
        let (paths, isTold) = hints.takeAll()
        for path in paths where scope.directories.contains(where: path.isPath) {
            dirty.insert(path.pathParts.dropLast().joined(separator: "/"))
        }
        dirty = dirty.filter(tree.knows)
        return isLost || isTold
    }
}

/// What the daemon tells, from the thread that hears it.
private final class Hints: Sendable {
    private struct State {
        var paths: Set<String> = []
        var isTold = false
        var hasEnded = false
    }

    let wakeUp: WakeUp
    private let state = Lock(State())

    init() throws { wakeUp = try WakeUp() }

    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Returns when nothing is missed any more.
    func follow(_ app: String, at location: DeviceLocation) throws {
        let begun = Gate<Result<Void, any Error>?>(nil)
        try NativeThread(name: "hints") { [self] in
            do {
                try DaemonClient.connect(to: location).follow(.watch(app, sinceSeconds: nil)) { report in
                    take(report)
                    begun.update { $0 = .success(()) }
                }
            } catch {
                begun.update { $0 = $0 ?? .failure(error) }
            }
            end()
        }.detach()
        try begun.wait { $0 }?.get()
    }

    private func take(_ report: WatchReport) {
        state.withLock { state in
            state.isTold = true
            if case .event(let event) = report, let path = event.path { state.paths.insert(path) }
        }
        wakeUp.signal()
    }

    private func end() {
        state.withLock { $0.hasEnded = true }
        wakeUp.signal()
    }

    func takeAll() -> (paths: Set<String>, isTold: Bool) {
        wakeUp.clear()
        return state.withLock { state in
            defer { (state.paths, state.isTold) = ([], false) }
            return (state.paths, state.isTold)
        }
    }
}

extension QueryItem {
    /// Its state will change without anybody's doing.
    fileprivate var isUnderWay: Bool {
        switch state {
        case "uploading", "downloading": true
        default: false
        }
    }
}

/// A line that a query prints.
struct QueryLine: Encodable {
    let event: String
    var path: String?
    var name: String?
    var kind: String?
    var size: Int64?
    var modified: Timestamp?
    var state: String?
    var count: Int?

    static func gathered(_ count: Int) -> QueryLine { QueryLine(event: "gathered", count: count) }

    static func item(_ event: String, _ item: QueryItem) -> QueryLine {
        QueryLine(
            event: event, path: item.path, name: item.name, kind: item.kind.rawValue,
            size: item.kind == .file ? item.sizeBytes : nil,
            modified: item.kind == .directory ? nil : Timestamp(seconds: Double(item.modified) / 1e9),
            state: item.state)
    }
}

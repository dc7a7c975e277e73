internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// The folders of a sandbox that lie in memory and are no part of the app: a program may write there, and no
/// device keeps it. Held open, so that they are still to be looked through once the sandbox is gone.
struct OutsideFolders {
    private struct Folder {
        let path: String
        let directory: SharedDescriptor
        /// What lies there before the program starts: where folders of the system are shown.
        let own: Set<[CChar]>
    }

    private var folders: [Folder] = []

    /// All that the program may write to, but its home, its groups, and the folder for tools, which is there
    /// for that. Other paths lead to them.
    static let paths = ["/tmp", "/dev/shm"]
    /// So many items of a directory are counted.
    private static let mostCounted = 10_000
    private static let mostDepth = 64
    /// How often a sandbox that is being made is looked at.
    private static let lookSeconds = 0.001

    /// Opens them in a sandbox, as soon as that is complete.
    /// - Parameters:
    ///   - report: what bubblewrap tells of the sandbox.
    ///   - home: a path that is there in the complete sandbox, and nowhere else.
    ///   - deadline: until when it is waited for.
    /// - Returns: nil where there is none until then.
    init?(of report: StatusReport, home: String, until deadline: Deadline) {
        while !report.isOver, !deadline.hasPassed {
            if let root = report.firstID.map({ "/proc/\($0)/root" }), access(root + home, F_OK) == 0 {
                folders = Self.paths.compactMap { path in
                    guard let folder = try? SharedDescriptor(Descriptor(root + path, flags: O_DIRECTORY))
                    else {
                        return nil
                    }
                    return Folder(path: path, directory: folder, own: Set(Self.names(in: folder.raw).0))
                }
                return
            }
            _ = try? Waiting.wait(for: [], until: Deadline(seconds: Self.lookSeconds))
        }
        return nil
    }

    /// What lies in them, in the order of the names; of many some.
    var left: LeftOutside {
        var left = LeftOutside()
        var room = LeftOutside.most
        for folder in folders {
            let (path, directory) = (folder.path, folder.directory)
            let (names, count) = Self.names(in: directory.raw, but: folder.own)
            let named = names.prefix(room)
            room -= named.count
            left.items += named.map { name in
                .init(path: path + "/" + name.nameText, kind: Self.kind(directory.raw, name))
            }
            if count > named.count {
                left.items.append(.init(path: path, kind: .rest(items: count - named.count)))
            }
        }
        return left
    }

    /// - Parameter own: those that do not count.
    /// - Returns: at most `mostCounted` of them, sorted, and how many there are.
    private static func names(in directory: Int32, but own: Set<[CChar]> = []) -> ([[CChar]], Int) {
        var (names, count): ([[CChar]], Int) = ([], 0)
        // It is listed before the program starts, and after it.
        guard lx_lseek(directory, 0, 0) == 0 else { return (names, count) }
        var entries = DirectoryEntries()
        while let entry = try? entries.next(of: directory) {
            if entry.name.isDotOrDotDot || !own.isEmpty && own.contains(entry.name.terminated) { continue }
            count += 1
            if count <= mostCounted { names.append(entry.name.terminated) }
        }
        return (names.sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }, count)
    }

    private static func kind(_ directory: Int32, _ name: [CChar]) -> LeftOutside.Item.Kind {
        guard let stamp = try? ItemStamp(directory, name) else { return .other }
        if stamp.isRegular { return .file(sizeBytes: stamp.sizeBytes) }
        guard stamp.isDirectory else { return .other }
        var items = 0
        if let opened = try? FileTree.openDirectory(directory, name) { count(&items, below: opened.raw) }
        return .directory(items: min(items, mostCounted), isMore: items > mostCounted)
    }

    /// Stops behind `mostCounted`.
    private static func count(_ items: inout Int, below directory: Int32, depth: Int = 0) {
        var entries = DirectoryEntries(bufferBytes: 2 << 10)
        while items <= mostCounted, let entry = try? entries.next(of: directory) {
            if entry.name.isDotOrDotDot { continue }
            items += 1
            guard entry.mode == S_IFDIR, depth < mostDepth,
                let opened = try? FileTree.openDirectory(directory, entry.name.terminated)
            else { continue }
            count(&items, below: opened.raw, depth: depth + 1)
        }
    }
}

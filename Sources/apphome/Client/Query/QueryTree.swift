internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// What a metadata query knows of a part of a home, directory by directory, and how it differs from what is
/// there.
struct QueryTree {
    enum Change: Equatable {
        case came(QueryItem)
        case changed(from: QueryItem, to: QueryItem)
        case went(QueryItem)
    }

    /// Where the home is mounted.
    let home: String
    /// By their paths from the home: what lies in them, by its name.
    private var directories: [String: [String: QueryItem]] = [:]
    /// A descriptor is held for each level: what lies deeper is left out.
    private static let mostDepth = 64

    init(home: String) { self.home = home }

    /// All that is known, in no order.
    var items: [QueryItem] { directories.values.flatMap(\.values) }

    func knows(_ directory: String) -> Bool { directories[directory] != nil }

    /// Looks at a directory, and at all below it that was not known.
    /// - Parameters:
    ///   - isWhole: also at all below it that was.
    ///   - watch: is given each directory before it is listed: what comes later is told.
    ///   - tell: is given each difference; the tree knows of it by then.
    mutating func look(
        at path: String, isWhole: Bool, watch: (String, Int32) -> Void, tell: (Change) -> Void
    ) {
        let raw = lx_open_without_links(home + "/" + path, O_RDONLY | O_DIRECTORY)
        guard raw >= 0, path.pathParts.count <= Self.mostDepth else {
            return forget(path, tell)
        }
        let opened = Descriptor(owning: raw)
        watch(path, opened.raw)
        guard let names = try? DirectoryEntries.names(in: opened) else { return }
        let before = directories[path] ?? [:]
        var now: [String: QueryItem] = [:]
        for name in names.map(\.nameText) {
            guard let stamp = try? ItemStamp(opened.raw, name) else { continue }
            now[name] = QueryItem(name, in: opened.raw, stamp, path: path + "/" + name)
        }
        directories[path] = now
        for (name, item) in before where now[name]?.kind != item.kind {
            if item.kind == .directory { forget(item.path, tell) }
            tell(.went(item))
        }
        for (name, item) in now.sorted(by: { $0.key < $1.key }) {
            let old = before[name].flatMap { $0.kind == item.kind ? $0 : nil }
            if let old, old != item { tell(.changed(from: old, to: item)) }
            if old == nil { tell(.came(item)) }
            if item.kind == .directory, isWhole || old == nil {
                look(at: item.path, isWhole: isWhole, watch: watch, tell: tell)
            }
        }
    }

    /// A directory is gone, with all below it.
    private mutating func forget(_ path: String, _ tell: (Change) -> Void) {
        for item in directories.removeValue(forKey: path)?.values.sorted(by: { $0.path < $1.path }) ?? [] {
            if item.kind == .directory { forget(item.path, tell) }
            tell(.went(item))
        }
    }
}

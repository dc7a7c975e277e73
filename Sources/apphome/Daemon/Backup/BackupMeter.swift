internal import Backup
internal import Posix

/// Adds up what a backup would hold, without reading a file's content.
enum BackupMeter {
    /// So many of the largest files are named.
    private static let mostLargest = 10

    static func measure(
        _ backup: AppBackup, _ progress: Daemon.BackupProgress
    ) throws -> BackupMeasure {
        var measure = BackupMeasure()
        for source in try backup.sources() {
            var areas: [String: BackupMeasure.Area] = [:]
            guard let (owner, group) = OpenedBackup.owner(of: source.domain) else { continue }
            try source.walk(
                visit: { item in
                    guard item.kind == .file || item.kind == .database else { return }
                    let bytes = Int64(clamping: item.stamp.sizeBytes)
                    let area = group ? "group" : String(item.path.prefix { $0 != "/" })
                    areas[area, default: .init(owner: owner, area: area)].add(bytes)
                    measure.add(.init(owner: owner, path: item.path, bytes: bytes), most: mostLargest)
                    try progress(measure.bytes)
                }, leaveOut: { _ in })
            measure.areas += areas.values.sorted { $0.area < $1.area }
        }
        return measure
    }
}

extension BackupMeasure.Area {
    fileprivate mutating func add(_ bytes: Int64) {
        self.files += 1
        self.bytes += bytes
    }
}

extension BackupMeasure {
    /// The exit status of a gate that does not let it pass (SPEC 8).
    private static let tooLargeStatus: Int32 = 3

    fileprivate mutating func add(_ item: Item, most: Int) {
        files += 1
        bytes += item.bytes
        guard largest.count < most || item.bytes > largest[largest.count - 1].bytes else { return }
        let index = largest.firstIndex { $0.bytes < item.bytes } ?? largest.count
        largest.insert(item, at: index)
        if largest.count > most { largest.removeLast() }
    }

    /// - Throws: with status 3, where it is larger than that.
    func check(mostBytes: Int64) throws {
        guard bytes > mostBytes else { return }
        let most = largest.first.map { ", \(byteCount($0.bytes)) of them \($0.owner)'s \($0.path)" } ?? ""
        throw CommandFailure(
            "a backup would hold \(byteCount(bytes)), more than \(byteCount(mostBytes))\(most): keep out "
                + "what can be made again (apphome skip-backup set PATH, in the mount); the largest: "
                + "apphome backup create --dry-run",
            exitStatus: Self.tooLargeStatus)
    }
}

internal import Backup
internal import Posix
internal import Wire

/// Adds up what a backup would hold, without reading a file's content.
enum BackupMeter {
    /// So many of the largest files are named.
    private static let mostLargest = 10

    static func measure(
        _ backup: AppBackup, _ progress: BackupProgress
    ) throws -> BackupMeasure {
        var measure = BackupMeasure()
        for source in try backup.sources() {
            var areas: [String: BackupMeasure.Area] = [:]
            guard let (owner, group) = BackupReader.owner(of: source.domain) else { continue }
            let name = backup.word(for: owner)
            try source.walk(
                visit: { item in
                    guard item.kind == .file || item.kind == .database else { return }
                    let bytes = Int64(clamping: item.stamp.sizeBytes)
                    let area = group ? "group" : item.path.pathParts.first ?? ""
                    areas[area, default: .init(owner: owner, name: name, area: area)].add(bytes)
                    let item = BackupMeasure.Item(owner: owner, name: name, path: item.path, bytes: bytes)
                    measure.add(item, most: mostLargest)
                    try progress.check()
                }, leaveOut: { _ in })
            measure.areas += areas.values.sorted { $0.area < $1.area }
        }
        return measure
    }

    /// Of the files of one tree.
    static func bytes(of tree: DomainTree, _ progress: BackupProgress) throws -> Int64 {
        var bytes: Int64 = 0
        try tree.walk(
            visit: { item in
                if item.kind == .file || item.kind == .database {
                    bytes = bytes.addingSaturated(Int64(clamping: item.stamp.sizeBytes))
                }
                try progress.check()
            }, leaveOut: { _ in })
        return bytes
    }
}

extension BackupMeasure.Area {
    fileprivate mutating func add(_ bytes: Int64) {
        self.files += 1
        self.bytes = self.bytes.addingSaturated(bytes)
    }
}

extension BackupMeasure {
    fileprivate mutating func add(_ item: Item, most: Int) {
        files += 1
        bytes = bytes.addingSaturated(item.bytes)
        guard largest.count < most || item.bytes > largest[largest.count - 1].bytes else { return }
        let index = largest.firstIndex { $0.bytes < item.bytes } ?? largest.count
        largest.insert(item, at: index)
        if largest.count > most { largest.removeLast() }
    }
}

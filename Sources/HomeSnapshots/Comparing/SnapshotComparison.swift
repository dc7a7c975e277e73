internal import Databases
internal import FoundationEssentials
internal import Posix
internal import SandboxRules

extension SnapshotDifference {
    /// Compares two snapshots of an app.
    package init(from old: HomeSnapshot, to new: HomeSnapshot) throws {
        guard old.app == new.app else {
            throw SnapshotError("one snapshot is of \(old.app), the other of \(new.app)")
        }
        self.init(
            app: new.app, from: timeText(old.takenAt, 0), to: timeText(new.takenAt, 0),
            changes: try SnapshotError.translating("compare the snapshots") {
                try SnapshotComparison(old, new).changes()
            })
    }
}

/// Compares the items of two snapshots.
private struct SnapshotComparison {
    private let old: HomeSnapshot
    private let new: HomeSnapshot
    private let before: [(number: Int64, item: SnapshotItem)]
    private let after: [(number: Int64, item: SnapshotItem)]

    init(_ old: HomeSnapshot, _ new: HomeSnapshot) throws {
        self.old = old
        self.new = new
        before = try old.items()
        after = try new.items()
    }

    func changes() throws -> [ItemChange] {
        let pairs = ItemPairs(before.map(\.item), after.map(\.item))
        var changes = pairs.added.map { ItemChange(.added, after[$0].item, sizes: (nil, after[$0].item)) }
        changes += pairs.deleted.map { ItemChange(.deleted, before[$0].item, sizes: (before[$0].item, nil)) }
        for (index, partner) in pairs.pairs {
            let isRenamed = pairs.expectedPlace(of: index) != after[partner].item.place
            if let change = try change(of: index, partner, isRenamed: isRenamed) { changes.append(change) }
        }
        return changes.sorted { ($0.group ?? "", $0.path) < ($1.group ?? "", $1.path) }
    }

    private func change(of index: Int, _ partner: Int, isRenamed: Bool) throws -> ItemChange? {
        let (old, new) = (before[index].item, after[partner].item)
        var change = ItemChange(isRenamed ? .renamed : .changed, new)
        change.take(old, new)
        if isRenamed { (change.oldPath, change.oldGroup) = (old.place.path, old.place.group) }
        if change.content { try look(into: &change, before[index].number, after[partner].number) }
        return isRenamed || change != ItemChange(.changed, new) ? change : nil
    }

    /// Says what differs within a file.
    private func look(into change: inout ItemChange, _ number: Int64, _ later: Int64) throws {
        guard change.kind == SnapshotItem.Kind.database.rawValue else {
            guard let had = try old.content(of: number), let has = try new.content(of: later) else { return }
            change.keys = PropertyListComparison.changes(had, has)
            return
        }
        do {
            change.database = try databaseChange(number, later)
        } catch let error as SQLiteError {
            change.database = DatabaseChange(problem: "not readable by SQLite: \(error.message)")
        }
    }

    private func databaseChange(_ number: Int64, _ later: Int64) throws -> DatabaseChange? {
        let (had, has) = (try old.database(of: number), try new.database(of: later))
        if let had, let has { return try DatabaseComparison(old: had, new: has).changes() }
        let before = try had.map { try TableSummary.all(of: $0) } ?? old.tables(of: number)
        let after = try has.map { try TableSummary.all(of: $0) } ?? new.tables(of: later)
        guard !before.isEmpty, !after.isEmpty else {
            return DatabaseChange(problem: "it was in use, and could not be copied")
        }
        return DatabaseChange(tables: TableSummary.changes(before, after))
    }
}

extension TableSummary {
    fileprivate static func changes(_ old: [TableSummary], _ new: [TableSummary]) -> [TableChange] {
        let before = Dictionary(old.map { ($0.name, $0) }) { first, _ in first }
        let after = Dictionary(new.map { ($0.name, $0) }) { first, _ in first }
        return differences(before, after).map { name, before, after in
            TableChange(table: name, count: Change(before?.rows, after?.rows))
        }
    }
}

extension ItemChange {
    fileprivate init(_ action: Action, _ item: SnapshotItem, sizes: (SnapshotItem?, SnapshotItem?)) {
        self.init(action, item)
        if item.kind.isFile { size = Change(sizes.0?.shownSize, sizes.1?.shownSize) }
        if item.kind == .symlink { target = Change(sizes.0?.target, sizes.1?.target) }
    }

    /// Notes all that differs but the place.
    fileprivate mutating func take(_ old: SnapshotItem, _ new: SnapshotItem) {
        if old.kind != .special, old.permissions != new.permissions {
            mode = Change(old.modeText, new.modeText)
        }
        if old.isSkipped != new.isSkipped { skipBackup = Change(old.isSkipped, new.isSkipped) }
        attributes = SnapshotItem.namesOfDifferent(old.attributes, new.attributes)
        if old.target != new.target { target = Change(old.target, new.target) }
        guard new.kind.isFile else { return }
        if old.isEvicted != new.isEvicted { evicted = Change(old.isEvicted, new.isEvicted) }
        content = old.contentDiffers(from: new)
        if content {
            size = Change(old.shownSize, new.shownSize)
        } else if old.modified != new.modified {
            modified = Change(old.modifiedText, new.modifiedText)
        }
    }
}

extension SnapshotItem {
    fileprivate var shownSize: Int64 { Int64(clamping: sizeBytes) }

    fileprivate var modeText: String { String(permissions, radix: 8) }

    fileprivate var modifiedText: String {
        let (seconds, rest) = modified.quotientAndRemainder(dividingBy: 1_000_000_000)
        return timeText(seconds, rest)
    }

    /// Where one of them could not be read, its size and time have to tell.
    fileprivate func contentDiffers(from other: SnapshotItem) -> Bool {
        if let digest, let later = other.digest { return digest != later }
        return sizeBytes != other.sizeBytes || (modified != other.modified && isEvicted == other.isEvicted)
    }

    fileprivate static func namesOfDifferent(_ old: [Attribute], _ new: [Attribute]) -> [String] {
        let before = Dictionary(old.map { ($0.name, $0.value) }) { first, _ in first }
        let after = Dictionary(new.map { ($0.name, $0.value) }) { first, _ in first }
        return differences(before, after).map(\.name).filter {
            !Array($0.utf8).withUnsafeBytes(SkipBackup.isFlag)
        }
    }
}

/// ISO 8601, UTC, to the millisecond.
private func timeText(_ seconds: Int64, _ nanoseconds: Int64) -> String {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return style.format(Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9))
}

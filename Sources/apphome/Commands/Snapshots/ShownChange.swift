internal import HomeSnapshots
internal import Wire

extension ItemChange {
    /// Rows of a table that are shown; `--json` has the others.
    private static let mostRows = 50

    /// A line, and below it what changed within the file.
    func show() {
        let facts = facts.isEmpty ? "" : ": " + facts.joined(separator: ", ")
        line("\(action.rawValue.padded(to: 9))\(Self.place(group, path))\(facts)")
        for key in keys ?? [] { line("  " + key.text) }
        guard let database else { return }
        for entry in database.schema { line("  \(entry.text)") }
        for table in database.tables {
            line("  \(table.text)")
            for row in table.rows.prefix(Self.mostRows) { line("    \(row.text)") }
            let rest = table.inserted + table.deleted + table.changed - min(table.rows.count, Self.mostRows)
            if rest > 0, !table.rows.isEmpty { line("    … \(counted(rest, "more row"))") }
        }
    }

    private func line(_ text: String) { print(printable(text)) }

    /// A group's items have its name in front.
    private static func place(_ group: String?, _ path: String) -> String {
        group.map { "[\($0)] \(path)" } ?? path
    }

    /// What changed of the item itself.
    private var facts: [String] {
        var facts: [String] = []
        if action == .renamed, let oldPath { facts.append("was \(Self.place(oldGroup, oldPath))") }
        if let size, action == .added || action == .deleted {
            facts.append(byteCount((size.after ?? size.before) ?? 0))
        }
        if let text = target?.after ?? target?.before, action == .added || action == .deleted {
            facts.append("-> \(text)")
        } else if let target {
            facts.append("-> \(target.after ?? ""), was -> \(target.before ?? "")")
        }
        if content { facts.append(contentText) }
        if let mode { facts.append("mode \(mode.before ?? "") -> \(mode.after ?? "")") }
        if let skipBackup { facts.append("skip-backup \(skipBackup.after == true ? "set" : "removed")") }
        if let evicted { facts.append(evicted.after == true ? "evicted" : "downloaded") }
        if !attributes.isEmpty { facts.append("attributes \(attributes.joined(separator: ", "))") }
        if let modified { facts.append("written again with the same content (\(modified.after ?? ""))") }
        return facts
    }

    private var contentText: String {
        if let problem = database?.problem { return "database changed, \(problem)" }
        if let database, database.schema.isEmpty, database.tables.isEmpty { return "its file alone, no row" }
        guard let size, size.before != size.after else { return "content" }
        return "content (\(byteCount(size.before ?? 0)) -> \(byteCount(size.after ?? 0)))"
    }
}

extension KeyChange {
    fileprivate var text: String {
        let key = key.isEmpty ? "(top)" : key
        switch (value.before, value.after) {
        case (nil, let after?): return "+ \(key): \(after)"
        case (let before?, nil): return "- \(key): \(before)"
        case (let before, let after): return "\(key): \(before ?? "") -> \(after ?? "")"
        }
    }
}

extension SchemaChange {
    fileprivate var text: String {
        switch (statement.before, statement.after) {
        case (nil, _): "+ \(kind) \(name)"
        case (_, nil): "- \(kind) \(name)"
        default: "\(kind) \(name) altered: \(statement.after ?? "")"
        }
    }
}

extension TableChange {
    fileprivate var text: String {
        if let count {
            return "\(table): \(count.before ?? 0) -> \(count.after ?? 0) rows, not compared by row"
        }
        let counts = [(inserted, "inserted"), (changed, "changed"), (deleted, "deleted")]
        return "\(table): "
            + counts.filter { $0.0 > 0 }.map { "\(counted($0.0, "row")) \($0.1)" }.joined(separator: ", ")
    }
}

extension RowChange {
    fileprivate var text: String {
        let key = key.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let others = columns.sorted { $0.key < $1.key }.filter { self.key[$0.key] == nil }
        switch action {
        case .added:
            return "+ \(key) " + others.map { "\($0.key)=\($0.value.after ?? "")" }.joined(separator: " ")
        case .deleted:
            return "- \(key) " + others.map { "\($0.key)=\($0.value.before ?? "")" }.joined(separator: " ")
        case .changed, .renamed:
            let changes = columns.sorted { $0.key < $1.key }.map { column, value in
                "\(column) \(value.before ?? "") -> \(value.after ?? "")"
            }
            return "\(key): " + changes.joined(separator: ", ")
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - count, 1))
    }
}

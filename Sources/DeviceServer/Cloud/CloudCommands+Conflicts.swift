internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import Wire

/// Documents with more than one version, and a person's choice between them.
extension CloudCommands {
    func cloudConflicts(of name: String) throws -> [CloudConflict] {
        let app = try device.app(named: name)
        return try cloud.withSession { session in
            let names = try session.deviceNames(for: app)
            let nodes = try session.storage(of: app).read { transaction in
                let dropped = try transaction.droppedRevisions()
                return try transaction.conflicts(after: nil, limit: Self.mostItems).compactMap { node in
                    var node = node
                    node.versions.removeAll { $0.isDropped(by: dropped) }
                    return node.isConflict ? (try transaction.path(of: node.id) ?? [node.name], node) : nil
                }
            }
            let times = nodes.isEmpty ? [:] : session.commitTimes(of: nodes.flatMap(\.1.contents), in: app)
            return nodes.map { path, node in
                let versions = node.contents.enumerated().map {
                    CloudVersion($1, isCurrent: $0 == 0, names, committed: times[$1.position.sequence])
                }
                return CloudConflict(path: path.joined(separator: "/"), versions: versions)
            }
        }
    }

    /// - Parameter keep: `current`, `both`, or a version as `cloud conflicts` names it.
    /// - Returns: what was done, for people.
    func resolve(_ text: String, of name: String, keeping keep: String) throws -> [String] {
        let app = try syncingApp(named: name)
        return try cloud.withSession { session in
            let (node, choice) = try session.storage(of: app).read { transaction in
                let (_, node) = try Self.node(at: text, of: app, in: transaction)
                guard let node, node.isConflict else {
                    throw CommandFailure("\(text) has one version; see: apphome cloud conflicts")
                }
                return (node, try Self.choice(keep, of: node, text))
            }
            return try session.with(app) {
                let shown = Set(node.contents.flatMap(\.revisions))
                let outcome = try Self.telling(session, of: app) {
                    try session.wait {
                        try await $0.resolve(app.bundleID.value, node.id, keeping: choice, shown: shown)
                    }
                }
                if case .resolved = outcome { _ = try session.syncOnce(app) }
                return try Self.told(outcome, text, choice)
            }
        }
    }

    /// Tells the store a person's word, and before it what was written here: the word is about that as well.
    static func telling<Outcome>(
        _ session: CloudSession, of app: InstalledApp, _ body: () throws -> Outcome
    ) throws -> Outcome {
        let refusal = { (trouble: SyncTrouble) in
            CommandFailure("nothing was changed: the store has to take part in it. \(trouble)")
        }
        if let trouble = try session.syncOnce(app), trouble.isOfConnection { throw refusal(trouble) }
        do { return try body() } catch let trouble as SyncTrouble { throw refusal(trouble) }
    }

    private static func choice(_ keep: String, of node: Node, _ path: String) throws -> ConflictChoice {
        switch keep {
        case "current": return .current
        case "both": return .both
        default:
            guard let version = try version(keep, among: node.contents, path) else {
                throw CommandFailure("\(path) has no version \(keep); see: apphome cloud conflicts")
            }
            return .version(version.revisions[0])
        }
    }

    private static func told(
        _ outcome: ConflictOutcome, _ path: String, _ choice: ConflictChoice
    ) throws -> [String] {
        switch outcome {
        case .overtaken:
            throw CommandFailure(
                "nothing was changed: \(path) is not as it was any more; see: apphome cloud conflicts")
        case .waits(let trouble):
            throw CommandFailure("noted, and done as soon as the store takes it. \(trouble)")
        case .lost(let copies):
            let also = copies.isEmpty ? "" : "; its versions are documents beside it"
            throw CommandFailure(
                "another device was first, and \(path) is not as you chose\(also);"
                    + " see: apphome cloud conflicts"
            )
        case .resolved(let copies, let versions):
            var lines = [
                choice == .both
                    ? "\(path) stays, and beside it:" : "chosen; the others are kept for 30 days"
            ]
            lines += copies.map { "  " + $0 }
            if versions > 0 { lines.append("\(counted(versions, "version")) came meanwhile") }
            return lines
        }
    }

    // MARK: Versions by name

    /// A version that a document has or had.
    /// - Parameter text: as `cloud conflicts` shows it, or its beginning; nil: the current one.
    static func version(
        _ text: String?, of node: Node, _ path: String, in transaction: any SyncTransaction
    ) throws -> SyncLog.Version? {
        guard let text else { return node.current }
        let older = try transaction.history(of: node.id).map(\.version)
        return try version(text, among: node.contents + older, path)
    }

    private static func version(
        _ text: String, among versions: [SyncLog.Version], _ path: String
    ) throws -> SyncLog.Version? {
        func find(_ isNamed: (Revision) -> Bool) -> [SyncLog.Version] {
            versions.filter { $0.revisions.contains(where: isNamed) }
        }
        // A whole name may be the beginning of another one.
        if let exact = find({ $0.text == text || $0.shortText == text }).first { return exact }
        let found = find { $0.text.hasPrefix(text) || $0.shortText.hasPrefix(text) }
        guard found.count <= 1 else {
            throw CommandFailure(
                "\(path) has \(found.count) versions that begin with \(text); give more of it")
        }
        return found.first
    }
}

extension CloudSession {
    /// So long it may take to find out when contents were committed: a listing is for people.
    private static let timesSeconds = 2.0

    /// When the log got these contents, by slot: as far as its entries are kept, and the store says so soon.
    fileprivate func commitTimes(
        of contents: [SyncLog.Version], in app: InstalledApp
    ) -> [UInt64: Timestamp] {
        let slots = Set(contents.map(\.position.sequence)).sorted(by: >)
        guard contact.trouble(seconds: Self.timesSeconds) == nil, let reader = try? reader() else {
            return [:]
        }
        let deadline = Deadline(seconds: Self.timesSeconds)
        var times: [UInt64: Timestamp] = [:]
        for slot in slots where !deadline.hasPassed {
            let work = BackgroundWork(self) { _ in try await reader.commit(slot, of: app.bundleID)?.time }
            guard let time = try? work.result(within: Double(deadline.millisecondsLeft) / 1000) else {
                work.cancel()
                break
            }
            if let time { times[slot] = Timestamp(seconds: Double(time.seconds)) }
        }
        return times
    }
}

extension CloudVersion {
    /// - Parameter names: the account's devices.
    fileprivate init(
        _ version: SyncLog.Version, isCurrent: Bool, _ names: [SyncLog.DeviceID: String],
        committed: Timestamp?
    ) {
        let first = version.revisions.min()
        self.init(
            id: first.map(\.text) ?? "", isCurrent: isCurrent, size: version.sizeBytes,
            hash: version.hashText,
            modified: Timestamp(seconds: Double(version.attributes.modified) / 1e9), committed: committed,
            device: first.map { names[$0.device] ?? $0.device.short } ?? "")
    }
}

extension SyncLog.Version {
    var sizeBytes: Int64 { Int64(clamping: content.sizeBytes) }

    /// SHA-256; nil for what is no file.
    fileprivate var hashText: String? {
        if case .file(let file) = content { file.hash.hex } else { nil }
    }
}

extension Revision {
    /// As `cloud cat --version` takes it.
    var text: String { "\(device.hex)-\(n)-\(index)" }
    /// As tables have it.
    fileprivate var shortText: String { "\(device.short)-\(n)-\(index)" }
}

internal import CloudSync
internal import Device
internal import Posix
internal import SandboxRules
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import Wire

/// Who changed what, and bringing back what was there.
extension CloudCommands {
    /// The newest commits, the oldest of them first, down to where the log is cut off: what lies below that
    /// is in a snapshot, without who did it.
    /// - Parameters:
    ///   - text: a path below Documents: only what is, or was last, there or below it. Empty: all.
    ///   - limit: at most so many commits.
    ///   - meter: told how far it is; what that throws ends it.
    func cloudLog(
        of name: String, below text: String, limit: Int, _ meter: WorkMeter
    ) throws -> [CloudLogEntry] {
        let app = try device.app(named: name)
        let wanted = try Self.names(text).joined(separator: "/")
        return try cloud.withSession { session in
            let names = try session.deviceNames(for: app)
            let storage = try session.storage(of: app)
            let reader = try session.reader()
            let newest = try storage.read { try $0.treeCursor() }
            var commits: [[CloudLogEntry]] = []
            for slot in stride(from: newest, to: 0, by: -1) {
                guard commits.count < limit else { break }
                let progress = Progress(
                    bytesDone: 0, itemsDone: Int64(newest - slot), totalItems: Int64(newest))
                let commit = try session.wait(whileWanted: { try meter.show(progress) }) { _ in
                    try await reader.commit(slot, of: app.bundleID)
                }
                guard let commit else { break }
                let entries = try storage.read { transaction in
                    try commit.entries(names, transaction).filter { $0.isBelow(wanted) }
                }
                if !entries.isEmpty { commits.append(entries) }
            }
            return commits.reversed().flatMap(\.self)
        }
    }

    /// Brings back what items had.
    /// - Parameters:
    ///   - texts: paths below Documents, or items as `cloud log` names them.
    ///   - version: as `cloud log` and `cloud conflicts` name it, or its beginning; nil: the last one.
    /// - Returns: what was done, for people.
    func restoreItems(
        _ texts: [String], of name: String, version: String?, _ meter: WorkMeter
    ) throws -> [String] {
        let app = try syncingApp(named: name)
        return try cloud.withSession { session in
            let targets = try session.storage(of: app).read { transaction in
                try texts.map { try Self.target($0, version, in: transaction) }
            }
            return try session.with(app) {
                let outcome: RestorationOutcome
                do {
                    outcome = try Self.telling(session, of: app) {
                        try session.wait(whileWanted: meter.showAgain) {
                            try await $0.restore(app.bundleID.value, targets)
                        }
                    }
                } catch let refused as RefusedRestoration {
                    let index = targets.firstIndex(of: refused.target) ?? 0
                    throw CommandFailure("nothing was changed: \(refused.refusal.text(texts[index]))")
                }
                if outcome.waits == nil { _ = try session.syncOnce(app) }
                return try outcome.lines()
            }
        }
    }

    private static func target(
        _ text: String, _ version: String?, in transaction: any SyncTransaction
    ) throws -> RestorationTarget {
        let names = try names(text)
        var nodes = try transaction.item(at: names).map { [$0] } ?? []
        // What was deleted there last, where several were.
        nodes += try transaction.formerItems(at: names).sorted { $0.deletedAt > $1.deletedAt }
        if nodes.isEmpty, let bits = UInt128(text, radix: 16) {
            nodes = try transaction.item(FileID(bits: bits)).map { [$0] } ?? []
        }
        guard let first = nodes.first else {
            throw CommandFailure("nothing was or is at \(text); see: apphome cloud log")
        }
        guard let version else { return RestorationTarget(file: first.id) }
        for node in nodes {
            if let found = try Self.version(version, of: node, text, in: transaction) {
                return RestorationTarget(file: node.id, version: found.revisions[0])
            }
        }
        throw CommandFailure("\(text) has no version \(version); see: apphome cloud log")
    }
}

extension Node {
    fileprivate var deletedAt: StoreTime {
        if case .deleted(let since) = state { since } else { StoreTime(seconds: .min) }
    }
}

extension RestorationRefusal {
    /// - Parameter what: what was asked for.
    fileprivate func text(_ what: String) -> String {
        switch self {
        case .isThere: "\(what) is there; name a version of it, see: apphome cloud log"
        case .noSuchVersion: "\(what) has no such version any more; see: apphome cloud log"
        case .isDirectory: "\(what) is a directory; it has no versions, and comes back only if it was deleted"
        case .isWithdrawn:
            "\(what) was taken out of the cloud; devices that had it keep it as a flagged file"
        case .isPast(let time):
            "\(what) was kept until \(Timestamp(seconds: Double(time.seconds)).text)"
        }
    }
}

extension RestorationOutcome {
    /// So many names are told of each kind.
    private static let mostNames = 10

    fileprivate func lines() throws -> [String] {
        if let waits {
            throw CommandFailure("noted, and done as soon as the store takes it. \(waits)")
        }
        var lines = ["\(counted(items, "item")) came back"]
        if versions > 0 {
            lines.append("\(versions) of them as versions of what is there: see apphome cloud conflicts")
        }
        lines += Self.named(withdrawn, "left the cloud, and stays where it was flagged")
        lines += Self.named(past, "was kept for 30 days, and is not any more")
        if earlier > 0 {
            let time = Timestamp(seconds: Double(earlierAt.seconds)).text
            lines.append("\(counted(earlier, "item")) deleted earlier, up to \(time), stay deleted")
        }
        return lines
    }

    private static func named(_ paths: [String], _ why: String) -> [String] {
        let more = paths.count - mostNames
        return paths.prefix(mostNames).map { "\($0): \(why)" } + (more > 0 ? ["and \(more) more"] : [])
    }
}

extension Commit {
    fileprivate func entries(
        _ names: [SyncLog.DeviceID: String], _ transaction: any SyncTransaction
    ) throws -> [CloudLogEntry] {
        try batch.operations.enumerated().map { index, operation in
            let (word, file, name) = operation.parts
            let known = try file.flatMap { try transaction.lastPath(of: $0) }
            return CloudLogEntry(
                sequence: sequence, time: Timestamp(seconds: Double(time.seconds)),
                device: names[batch.device] ?? batch.device.short, operation: word,
                path: known?.joined(separator: "/") ?? name ?? "", item: file?.bits.hexDigits,
                version: operation.bringsContent ? batch.revision(of: index).text : nil)
        }
    }
}

extension CloudLogEntry {
    /// - Parameter wanted: a path; empty: all.
    fileprivate func isBelow(_ wanted: String) -> Bool {
        wanted.isEmpty || path.isPath(in: wanted)
    }
}

extension Operation {
    /// A word for it, the item, and the name that it carries.
    fileprivate var parts: (word: String, file: FileID?, name: String?) {
        switch self {
        case .create(let creation): ("create", creation.file, creation.name)
        case .edit(let edit): ("edit", edit.file, edit.name)
        case .move(let file, _, let name): ("move", file, name)
        case .setAttributes(let file, _): ("attributes", file, nil)
        case .delete(let deletion): ("delete", deletion.file, nil)
        case .withdraw(let file, _): ("withdraw", file, nil)
        case .resolve(let resolution): ("resolve", resolution.file, nil)
        case .relocate: ("relocate", nil, nil)
        case .endHistory(let ended): ("end-history", ended.first?.file, nil)
        case .require(let feature): ("require", nil, feature)
        case .account: ("account", nil, nil)
        case .keyValue(let operation): ("key", nil, operation.key.text)
        case .unknown: ("unknown", nil, nil)
        }
    }

    fileprivate var bringsContent: Bool {
        switch self {
        case .create(let creation): creation.content != .directory
        case .edit: true
        default: false
        }
    }
}

internal import CloudStore
internal import CloudSync
internal import Device
internal import Glibc
internal import Posix
internal import StoreBasics
internal import SyncContent
internal import SyncLog
internal import SystemPackage
internal import Wire

extension ClientConnection {
    /// Has `body` write a file's bytes to what the client has opened; who stops reading early, as `head`
    /// does, has got what they wanted.
    func writingOut(
        _ path: String, to target: SharedDescriptor, _ body: (ClientOutput) throws -> Void
    ) throws -> Answer {
        do { try body(ClientOutput(target, of: channel.raw)) } catch let errno as Errno {
            if errno != .brokenPipe { throw CommandFailure("cannot write \(path): \(errno)") }
        }
        return .done
    }
}

/// The log and the bytes, read from the store itself.
extension CloudCommands {
    /// The newest commits, the oldest of them first.
    func cloudLog(of name: String, limit: Int) throws -> [CloudLogEntry] {
        let app = try device.app(named: name)
        return try cloud.withSession { session in
            let names = try session.deviceNames(for: app)
            let storage = try session.storage(of: app)
            let newest = try storage.read { try $0.treeCursor() }
            let first = newest > UInt64(clamping: limit) ? newest - UInt64(clamping: limit) + 1 : 1
            guard newest > 0, first <= newest else { return [] }
            let reader = try session.reader()
            var lines: [CloudLogEntry] = []
            for slot in first...newest {
                // What lies below the log's floor is in a snapshot, without who did it.
                guard let commit = try session.wait({ _ in try await reader.commit(slot, of: app.bundleID) })
                else { continue }
                lines += try storage.read { transaction in
                    try commit.batch.operations.map {
                        try CloudLogEntry($0, of: commit, names, transaction)
                    }
                }
            }
            return lines
        }
    }

    /// Writes a document's bytes to what the client has opened, on this thread: who reads them slowly keeps
    /// the engine from nothing.
    /// - Throws: `Errno` where they cannot be written.
    func writeContents(
        of text: String, version: String?, app name: String, to output: ClientOutput
    ) throws {
        let app = try device.app(named: name)
        try cloud.withSession { session in
            let content = try session.storage(of: app).read { transaction in
                let (_, node) = try Self.node(at: text, of: app, in: transaction)
                guard let node, let found = try Self.version(version, of: node, in: transaction),
                    case .file(let content) = found.content
                else {
                    throw CommandFailure(
                        "\(text) has no such version, or is no file; see: apphome cloud conflicts "
                            + shellQuoted(app.name))
                }
                return try transaction.located(content)
            }
            let reader = try session.reader()
            let runs = ByteHandoff()
            let work = BackgroundWork(session) { _ in
                defer { runs.end() }
                try await reader.download(content) { (run) async throws(ContentError) in
                    guard await runs.give(run) else { throw .local(.failed(ECANCELED)) }
                }
            }
            do { try Self.write(runs, to: output) } catch {
                runs.end()
                work.cancel()
                throw error
            }
            _ = try work.result()
        }
    }

    private static func write(_ runs: ByteHandoff, to output: ClientOutput) throws(Errno) {
        while true {
            switch runs.take(withinSeconds: ClientOutput.lookSeconds) {
            case .run(let bytes): try output.write(bytes)
            case .nothing: try output.checkClient()
            case .end: return
            }
        }
    }

    /// - Parameter text: as `cloud conflicts` shows it, or its beginning; nil: the current one.
    private static func version(
        _ text: String?, of node: Node, in transaction: any SyncTransaction
    ) throws -> Version? {
        guard let text else { return node.current }
        let older = try transaction.history(of: node.id).map(\.version)
        return (node.contents + older).first { version in
            version.revisions.contains { $0.text.hasPrefix(text) }
        }
    }
}

extension CloudLogEntry {
    init(
        _ operation: Operation, of commit: Commit, _ names: [SyncLog.DeviceID: String],
        _ transaction: any SyncTransaction
    ) throws {
        let device = commit.batch.device
        let (word, file, name) = operation.parts
        var path = name ?? ""
        if let file, let known = try transaction.lastPath(of: file) {
            path = known.joined(separator: "/")
        }
        self.init(
            sequence: commit.sequence, time: Timestamp(seconds: Double(commit.time.seconds)),
            device: names[device] ?? device.short, operation: word, path: path)
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
        case .unknown: ("unknown", nil, nil)
        }
    }
}

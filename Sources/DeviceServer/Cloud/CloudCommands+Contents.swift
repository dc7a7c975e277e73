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

/// Documents' bytes, read from the store itself.
extension CloudCommands {
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
                guard let node, let found = try Self.version(version, of: node, text, in: transaction),
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
}

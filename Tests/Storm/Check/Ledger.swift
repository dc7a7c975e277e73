internal import CLinux
internal import Glibc
internal import Posix

/// What was promised to whom: every write that fsync or rename acknowledged, written down outside the mounts.
final class Ledger: Sendable {
    private struct State {
        var acknowledged: [Token: String] = [:]
        /// Taken out by somebody who had them before him.
        var givenUp: Set<Token> = []
        var attempted: Set<Document> = [Document()]
        var findings: [String] = []
    }

    private let state = Lock(State())
    private let file: SharedDescriptor

    init(path: String) throws {
        let flags = lx_o_creat | lx_o_wronly | lx_o_trunc
        file = SharedDescriptor(try Descriptor(path, flags: flags, mode: 0o600))
    }

    /// Before a write: from now on these bytes may be anywhere.
    func attempt(_ document: Document) { state.withLock { _ = $0.attempted.insert(document) } }

    func acknowledge(_ token: Token, in document: Document, at path: String) {
        let line = "\(lx_realtime_nanoseconds()) \(path) \(document.tokens)\n"
        state.withLock { state in
            state.acknowledged[token] = path
            _ = line.withCString { lx_write(file.raw, $0, UInt64(line.utf8.count)) }
        }
    }

    func giveUp(_ tokens: some Sequence<Token>) { state.withLock { $0.givenUp.formUnion(tokens) } }

    func find(_ what: String) { state.withLock { $0.findings.append(what) } }

    var acknowledgedCount: Int { state.withLock { $0.acknowledged.count } }

    /// - Parameter documents: all that is there at the end, current and as versions, each with where it is.
    /// - Returns: what went wrong.
    func findings(_ documents: [(place: String, bytes: [UInt8])]) -> [String] {
        state.withLock { state in
            var found = state.findings
            var there: Set<Token> = []
            for (place, bytes) in documents {
                guard let document = Document(bytes) else {
                    found.append("\(place): \(bytes.count) bytes that no writer wrote")
                    continue
                }
                if !state.attempted.contains(document) {
                    found.append("\(place): never written so: \(document.tokens)")
                }
                there.formUnion(document.tokens)
            }
            for (token, path) in state.acknowledged where !there.contains(token) {
                if !state.givenUp.contains(token) { found.append("lost: \(token), written to \(path)") }
            }
            return found
        }
    }
}

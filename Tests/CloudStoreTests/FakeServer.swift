import Glibc
import Posix

/// A server that answers as a test wants: late, wrongly, or not at all.
final class FakeServer: Sendable {
    struct Request: Sendable {
        /// Both counted from 0.
        let connection: Int
        let number: Int
        let head: String

        func header(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).drop { $0 == " " } }.map(String.init)
        }
    }

    enum Answer: Sendable {
        case reply(String)
        /// Sends this and closes the connection.
        case last(String)
        case close
        case silence
    }

    private struct State {
        var requests: [Request] = []
        var connectionCount = 0
        /// The listener and the connections. The thread that serves one closes it and takes it out, under the
        /// lock: a number that was closed elsewhere may be another server's already.
        var sockets: Set<Int32>
        var isEnded = false
    }

    let port: UInt16
    private let state: Lock<State>

    init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, size) == 0 && getsockname(listener, pointer, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        listen(listener, 512)
        let state = Lock(State(sockets: [listener]))
        self.state = state
        try NativeThread(name: "fake server") { Self.accept(listener, state, answer) }.detach()
    }

    deinit {
        state.withLock { state in
            state.isEnded = true
            for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    var requests: [Request] { state.withLock { $0.requests } }
    var connectionCount: Int { state.withLock { $0.connectionCount } }

    private static func accept(
        _ listener: Int32, _ state: Lock<State>, _ answer: @escaping @Sendable (Request) -> Answer
    ) {
        defer { end(listener, state) }
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            if socket < 0 { return }
            let number = state.withLock { state in
                state.sockets.insert(socket)
                state.connectionCount += 1
                return state.isEnded ? nil : state.connectionCount - 1
            }
            guard let number else { return end(socket, state) }
            do {
                try NativeThread(name: "fake server") {
                    serve(socket, number, state, answer)
                    end(socket, state)
                }.detach()
            } catch {
                end(socket, state)
            }
        }
    }

    private static func end(_ socket: Int32, _ state: Lock<State>) {
        state.withLock { state in
            state.sockets.remove(socket)
            _ = close(socket)
        }
    }

    private static func serve(
        _ socket: Int32, _ connection: Int, _ state: Lock<State>, _ answer: (Request) -> Answer
    ) {
        var buffered: [UInt8] = []
        while let head = readHead(socket, &buffered) {
            let request = state.withLock { state in
                let request = Request(connection: connection, number: state.requests.count, head: head)
                state.requests.append(request)
                return request
            }
            let length = request.header("content-length").flatMap { Int($0) } ?? 0
            while buffered.count < length { if !fill(socket, &buffered) { return } }
            buffered.removeFirst(length)
            switch answer(request) {
            case .reply(let text): send(text, socket)
            case .last(let text):
                send(text, socket)
                return
            case .close: return
            case .silence: while fill(socket, &buffered) {}
            }
        }
    }

    private static func readHead(_ socket: Int32, _ buffered: inout [UInt8]) -> String? {
        while true {
            let text = String(decoding: buffered, as: UTF8.self)
            if let end = text.utf8.firstRange(of: "\r\n\r\n".utf8) {
                let count = text.utf8.distance(from: text.startIndex, to: end.upperBound)
                buffered.removeFirst(count)
                return String(text[..<end.lowerBound])
            }
            if !fill(socket, &buffered) { return nil }
        }
    }

    private static func fill(_ socket: Int32, _ buffered: inout [UInt8]) -> Bool {
        var part = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &part, part.count, 0)
        if count > 0 { buffered += part[..<count] }
        return count > 0
    }

    private static func send(_ text: String, _ socket: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension FakeServer {
    static let date = "Sat, 21 Nov 2026 17:09:12 GMT"

    /// A reply as a good server gives it.
    static func reply(_ status: String, _ body: String = "", headers: [String] = []) -> String {
        ([
            "HTTP/1.1 \(status)", "Date: \(date)", "Last-Modified: \(date)",
            "Content-Length: \(body.utf8.count)",
        ] + headers).joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    static func error(_ status: String, _ code: String) -> String {
        reply(status, "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>m</Message></Error>")
    }
}

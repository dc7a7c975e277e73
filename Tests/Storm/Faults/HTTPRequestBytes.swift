/// One request as it came, but for the header that says what becomes of the connection.
struct HTTPRequestBytes {
    private(set) var bytes: [UInt8]

    /// Reads it to its end.
    /// - Returns: nil where the sender went away first.
    init?(from socket: Int32) {
        var read: [UInt8] = []
        let end: Int
        while true {
            if let found = Self.endOfHead(read) {
                end = found
                break
            }
            if !LocalSocket.receive(from: socket, into: &read) { return nil }
        }
        let lines = String(decoding: read[..<end], as: UTF8.self).split(separator: "\r\n")
        let kept = lines.filter { !$0.lowercased().hasPrefix("connection:") }
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst("content-length:".count).drop { $0 == " " }) }
        while read.count < end + (length ?? 0) {
            if !LocalSocket.receive(from: socket, into: &read) { return nil }
        }
        let head = (kept + ["Connection: close"]).joined(separator: "\r\n") + "\r\n\r\n"
        bytes = Array(head.utf8) + read[end...]
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.dropLast(3).first { bytes[$0] == mark[0] && bytes[$0..<$0 + 4] == mark[...] }
            .map { $0 + 4 }
    }
}

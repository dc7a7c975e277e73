internal import CLinux
internal import Posix
internal import Wire

/// The lines of standard input, as they come: what is there is not kept back until more comes.
struct InputLines {
    private var rest: [UInt8] = []
    private var isAtEnd = false
    /// A longer line is refused.
    private static let mostBytes = 4 << 20
    /// What is read at once makes one request to the daemon.
    private static let runBytes = 64 << 10

    /// - Returns: whole lines, without their ends; nil at the end.
    /// - Throws: also where they are no UTF-8.
    mutating func next() throws -> [String]? {
        while !isAtEnd {
            var run = [UInt8](repeating: 0, count: Self.runBytes)
            let count = try retrying { lx_read(0, &run, UInt64(run.count)) }
            isAtEnd = count == 0
            rest += run[..<Int(count)]
            guard rest.count <= Self.mostBytes else { throw CommandFailure("a line is longer than 4 MB") }
            let end = isAtEnd ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            guard let end, end > 0 else { continue }
            defer { rest.removeFirst(end) }
            return try rest[..<end].split(separator: UInt8(ascii: "\n")).map(Self.text)
        }
        return nil
    }

    private static func text(_ line: ArraySlice<UInt8>) throws(CommandFailure) -> String {
        guard let text = String(validating: line, as: UTF8.self) else {
            throw CommandFailure("a line is not UTF-8")
        }
        return text
    }
}

import CLinux
import Glibc
import Posix
import SystemPackage

/// An app that has a database open: SQLite's own shell, which is told statements one after the other.
public final class SQLiteProgram {
    private let child: Child
    private let input: Descriptor
    private let output: Descriptor
    private var isOver = false
    private var marks = 0

    public init(_ database: String) throws {
        var down: [Int32] = [-1, -1]
        var up: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&down))
        let read = Descriptor(owning: down[0])
        input = Descriptor(owning: down[1])
        try valueOrErrno(lx_pipe(&up))
        output = Descriptor(owning: up[0])
        let write = Descriptor(owning: up[1])
        child = try Child(
            "/usr/bin/sqlite3", arguments: ["-batch", database], environment: [],
            descriptors: [read.raw, write.raw, write.raw])
    }

    /// Runs statements and waits for them.
    /// - Returns: what they printed, errors too, a line each.
    @discardableResult
    public func run(_ statements: String) throws -> [String] {
        marks += 1
        let mark = "-- \(marks)"
        try input.writeAll(Array((statements + "\n;SELECT '\(mark)';\n").utf8))
        var text = ""
        while !text.hasSuffix(mark + "\n") {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = try retrying { lx_read(output.raw, &bytes, 4096) }
            if count == 0 { throw Errno.brokenPipe }
            text += String(decoding: bytes[..<Int(count)], as: UTF8.self)
        }
        return text.split(separator: "\n").dropLast().map(String.init)
    }

    /// Ends it as a crash does.
    public func kill() { end(SIGKILL) }

    /// Ends it in order: its last connection closes.
    public func quit() {
        try? input.writeAll(Array(".quit\n".utf8))
        end(0)
    }

    private func end(_ signal: Int32) {
        if isOver { return }
        isOver = true
        if signal != 0 { Glibc.kill(child.processID, signal) }
        _ = try? child.wait()
    }

    deinit { kill() }

    /// What a program finds that opens a database for a moment.
    public static func run(_ statements: String, on database: String) throws -> [String] {
        let program = try SQLiteProgram(database)
        defer { program.quit() }
        return try program.run(statements)
    }
}

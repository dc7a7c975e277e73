internal import CLinux
internal import Posix
internal import SystemPackage
internal import Wire

/// A pipe for a daemon to write a file's bytes to, which this command passes on to standard output.
///
/// Not standard output itself: who answers may be another user, and would keep the terminal or the file, to
/// read what is typed there and to write on.
struct OutputPipe: ~Copyable {
    private let reader: Descriptor
    /// For the call.
    let writer: SharedDescriptor

    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&ends))
        reader = Descriptor(owning: ends[0])
        writer = SharedDescriptor(Descriptor(owning: ends[1]))
    }

    /// Runs `body` with the end that it passes on.
    /// - Parameter name: of what is written, for the error.
    func write(_ name: String, _ body: (Int32) throws -> Void) throws {
        do { try body(reader.raw) } catch Errno.brokenPipe {
            // Who stops reading early, as `head` does, has got what they wanted.
        } catch let errno as Errno {
            throw CommandFailure("cannot write \(name): \(errno)")
        }
    }
}

enum StandardInput {
    private static let runBytes = 1 << 20

    /// What is left of standard input, as a file that has no name: the daemon copies only what is complete,
    /// and waits for no other program.
    static func copy() throws -> Descriptor {
        let folder = environment("TMPDIR") ?? "/tmp"
        do throws(Errno) {
            let file = try Descriptor(folder, flags: lx_o_tmpfile | lx_o_rdwr, mode: 0o600)
            var run = [UInt8](repeating: 0, count: runBytes)
            while true {
                let count = try retrying { lx_read(0, &run, UInt64(run.count)) }
                if count == 0 { return file }
                try file.writeAll(Array(run[..<Int(count)]))
            }
        } catch {
            throw CommandFailure(
                "cannot keep standard input in \(folder): \(error); set TMPDIR to a folder with room")
        }
    }
}

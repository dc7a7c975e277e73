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
        try StandardOutput.writing(name) { try body(reader.raw) }
    }
}

/// A folder for a daemon to copy a file to, whose bytes go to standard output once all are there.
final class OutputFolder {
    /// The file's name in it.
    static let item = "item"
    private static let runBytes: UInt64 = 1 << 20

    private let parent: Descriptor
    private let name: String
    /// For the call.
    let folder: SharedDescriptor

    init() throws {
        let place = environment("TMPDIR") ?? "/tmp"
        name = "apphome-\(UInt64.random(in: 0 ... .max))"
        do throws(Errno) {
            parent = try Descriptor(place, flags: lx_o_directory)
            try valueOrErrno(lx_mkdirat(parent.raw, name, 0o700))
            folder = SharedDescriptor(try FileTree.openDirectory(parent.raw, name))
        } catch {
            throw CommandFailure(
                "cannot make a folder in \(place): \(error); set TMPDIR to a folder with room")
        }
    }

    deinit { try? TreeRemoval.remove(parent.raw, name) }

    /// Writes the file that is in it.
    /// - Parameters:
    ///   - path: of what is written, for the error.
    ///   - willWrite: called when nothing is left behind any more, however this ends.
    func write(_ path: String, willWrite: () throws -> Void) throws {
        try StandardOutput.writing(path) {
            guard let file = try FileTree.openFile(folder.raw, Self.item) else {
                throw CommandFailure("\(path) is no file: name a folder to copy it to")
            }
            try TreeRemoval.remove(parent.raw, name)
            try willWrite()
            var bytes = [UInt8](repeating: 0, count: Int(Self.runBytes))
            while true {
                let count = try retrying { lx_read(file.raw, &bytes, Self.runBytes) }
                if count == 0 { return }
                try StandardOutput.write(bytes[..<Int(count)])
            }
        }
    }
}

enum StandardOutput {
    /// - Parameter name: of what `body` writes, for the error.
    static func writing(_ name: String, _ body: () throws -> Void) throws {
        do { try body() } catch Errno.brokenPipe {
            // Who stops reading early, as `head` does, has got what they wanted.
        } catch let errno as Errno {
            throw CommandFailure("cannot write \(name): \(errno)")
        }
    }

    /// - Throws: what write(2) answers.
    static func write(_ bytes: ArraySlice<UInt8>) throws(Errno) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { lx_write(1, $0.baseAddress, UInt64($0.count)) }
            switch Errno(rawValue: Int32(clamping: -min(count, 0))) {
            case Errno(rawValue: 0): rest = rest.dropFirst(Int(count))
            case .interrupted: continue
            // Another program may have made it one that does not wait.
            case .resourceTemporarilyUnavailable: _ = try Waiting.wait(for: [1], writable: true)
            case let errno: throw errno
            }
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

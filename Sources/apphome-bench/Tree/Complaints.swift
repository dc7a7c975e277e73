import CLinux
import Glibc
import Posix
import SystemPackage

/// What programs wrote to their standard error: a file without a name, opened once, so that no timed run pays
/// for it.
final class Complaints: Sendable {
    private let file: SharedDescriptor

    /// For programs.
    var raw: Int32 { file.descriptor.raw }

    init() throws(Errno) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/apphome-bench-XXXXXX".utf8CString)
        let raw = mkstemp(&path)
        if raw < 0 { throw Errno(rawValue: errno) }
        unlink(path)
        file = SharedDescriptor(Descriptor(owning: raw))
    }

    /// The first line since the last call; nil where there is none. Forgets what was written.
    func takeFirstLine() -> String? {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = max(0, lx_pread(raw, &bytes, UInt64(bytes.count), 0))
        // The programs write on from where this descriptor stands.
        _ = lx_ftruncate(raw, 0)
        _ = lx_lseek(raw, 0, SEEK_SET)
        let line = bytes[..<Int(count)].split(separator: UInt8(ascii: "\n")).first
        return line.map { String(decoding: $0, as: UTF8.self) }
    }
}

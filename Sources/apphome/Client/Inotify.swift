internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage

/// Directories that the kernel watches for this process, inotify(7).
struct Inotify: ~Copyable {
    private let descriptor: Descriptor

    /// What to wait for.
    var raw: Int32 { descriptor.raw }

    init() throws(Errno) { descriptor = Descriptor(owning: try valueOrErrno(lx_inotify())) }

    /// Watches an open directory.
    /// - Parameter mask: `IN_…`.
    /// - Returns: its number in events; the same one where it was watched under another name.
    func watch(_ directory: Int32, for mask: UInt32) throws(Errno) -> Int32 {
        let number = inotify_add_watch(raw, "/proc/self/fd/\(directory)", mask)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        return number
    }

    /// Gives all that came to `body`: the event, and the name in its directory or "".
    func take(_ body: (inotify_event, String) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(raw, &buffer, buffer.count)
            guard count > 0 else { return }
            buffer.withUnsafeBytes { bytes in
                var rest = bytes[..<count]
                while rest.count >= MemoryLayout<inotify_event>.size {
                    let event = rest.loadUnaligned(as: inotify_event.self)
                    let size = MemoryLayout<inotify_event>.size
                    let name = rest.dropFirst(size).prefix(Int(event.len)).prefix { $0 != 0 }
                    body(event, String(decoding: name, as: UTF8.self))
                    rest = rest.dropFirst(size + Int(event.len))
                }
            }
        }
    }
}

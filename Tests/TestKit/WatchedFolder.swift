import Glibc
import Posix
import SystemPackage

/// What the kernel tells whoever watches a folder (inotify). It is told before the call that it is about
/// returns, so there is nothing to wait for.
public struct WatchedFolder: ~Copyable {
    private let descriptor: Int32

    public init(_ path: String) throws(Errno) {
        descriptor = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        let changes = IN_CREATE | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_MOVE | IN_DELETE
        guard inotify_add_watch(descriptor, path, UInt32(changes)) >= 0 else { throw Errno(rawValue: errno) }
    }

    deinit { close(descriptor) }

    /// The names of items that changed, by what was told since this was called last.
    public func changedNames() -> Set<String> {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = max(0, read(descriptor, &buffer, buffer.count))
        var rest = buffer[..<count]
        var names: Set<String> = []
        while rest.count >= MemoryLayout<inotify_event>.size {
            let event = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            let name = rest.dropFirst(MemoryLayout<inotify_event>.size).prefix(Int(event.len))
            names.insert(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
            rest = rest.dropFirst(MemoryLayout<inotify_event>.size + Int(event.len))
        }
        return names
    }
}

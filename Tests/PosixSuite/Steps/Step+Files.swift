internal import CLinux
internal import Glibc

/// Opening, reading, writing.
extension Step {
    /// Makes a file (or empties one) and writes `text`.
    static func create(_ path: String, mode: mode_t = 0o644, _ text: String = "") -> Step {
        Step("create") { _ in
            let file = Name.with(path) { Glibc.open($0, O_WRONLY | O_CREAT | O_TRUNC | lx_o_cloexec, mode) }
            guard file >= 0 else { return Answer.name(errno) }
            defer { Glibc.close(file) }
            let bytes = Array(text.utf8)
            return bytes.isEmpty ? "ok" : Answer.of(Glibc.write(file, bytes, bytes.count))
        }
    }

    /// Opens `path` and keeps the descriptor under `key`.
    static func open(_ path: String, _ flags: OpenFlags, mode: mode_t = 0o644, as key: String) -> Step {
        Step("open") { world in
            let file = openFile(path, flags, mode)
            guard file >= 0 else { return Answer.name(errno) }
            world.keep(file, as: key)
            return "ok"
        }
    }

    /// Opens `path` and closes it again.
    static func tryOpen(_ path: String, _ flags: OpenFlags, mode: mode_t = 0o644) -> Step {
        Step("open") { _ in
            let file = openFile(path, flags, mode)
            guard file >= 0 else { return Answer.name(errno) }
            Glibc.close(file)
            return "ok"
        }
    }

    private static func openFile(_ path: String, _ flags: OpenFlags, _ mode: mode_t) -> Int32 {
        Name.with(path) { Glibc.open($0, flags.rawValue | lx_o_cloexec, mode) }
    }

    static func close(_ key: String) -> Step {
        Step("close") { Answer.of(Glibc.close($0.descriptors.removeValue(forKey: key) ?? -1)) }
    }

    static func duplicate(_ key: String, as other: String) -> Step {
        Step("dup") { world in
            let copy = dup(world.descriptor(key))
            guard copy >= 0 else { return Answer.name(errno) }
            world.keep(copy, as: other)
            return "ok"
        }
    }

    static func read(_ key: String, _ count: Int) -> Step {
        Step("read") { world in contents(count) { Glibc.read(world.descriptor(key), $0, count) } }
    }

    static func pread(_ key: String, _ count: Int, at offset: Int) -> Step {
        Step("pread") { world in contents(count) { Glibc.pread(world.descriptor(key), $0, count, offset) } }
    }

    /// Reads into two buffers of 3 and 5 bytes at once.
    static func readv(_ key: String) -> Step {
        Step("readv") { world in
            contents(8) { buffer in
                var parts = [iovec(iov_base: buffer, iov_len: 3), iovec(iov_base: buffer + 3, iov_len: 5)]
                return Glibc.readv(world.descriptor(key), &parts, 2)
            }
        }
    }

    /// The text of what `call` puts into a buffer of `count` bytes.
    static func contents(_ count: Int, _ call: (UnsafeMutableRawPointer) -> Int) -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(count, 1), alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return "no memory" }
        let result = call(base)
        return result < 0 ? Answer.name(errno) : Answer.contents(Array(buffer[..<result]))
    }

    static func write(_ key: String, _ text: String) -> Step {
        Step("write") { world in
            let bytes = Array(text.utf8)
            return Answer.count(Glibc.write(world.descriptor(key), bytes, bytes.count))
        }
    }

    static func pwrite(_ key: String, _ text: String, at offset: Int) -> Step {
        Step("pwrite") { world in
            let bytes = Array(text.utf8)
            return Answer.count(Glibc.pwrite(world.descriptor(key), bytes, bytes.count, offset))
        }
    }

    /// Writes `count` bytes of one letter at `offset`.
    static func fill(_ key: String, _ letter: Character, _ count: Int, at offset: Int = 0) -> Step {
        Step("fill") { world in
            let bytes = [UInt8](repeating: letter.asciiValue ?? 0, count: count)
            return Answer.count(Glibc.pwrite(world.descriptor(key), bytes, count, offset))
        }
    }

    static func writev(_ key: String, _ first: String, _ second: String) -> Step {
        Step("writev") { world in
            var (one, two) = (Array(first.utf8), Array(second.utf8))
            return one.withUnsafeMutableBytes { one in
                two.withUnsafeMutableBytes { two in
                    let parts = [
                        iovec(iov_base: one.baseAddress, iov_len: one.count),
                        iovec(iov_base: two.baseAddress, iov_len: two.count),
                    ]
                    return Answer.count(Glibc.writev(world.descriptor(key), parts, 2))
                }
            }
        }
    }

    /// The whole contents of a file, opened by its name.
    static func readFile(_ path: String) -> Step {
        Step("contents") { _ in
            let file = Name.with(path) { Glibc.open($0, O_RDONLY | O_NONBLOCK | lx_o_cloexec) }
            guard file >= 0 else { return Answer.name(errno) }
            defer { Glibc.close(file) }
            var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65536))
            while true {
                let count = Glibc.read(file, &buffer, buffer.count)
                if count < 0 { return Answer.name(errno) }
                if count == 0 { return Answer.contents(all) }
                all += buffer[..<count]
            }
        }
    }

    static func seek(_ key: String, _ offset: Int, from whence: Int32 = SEEK_SET) -> Step {
        Step("seek") { Answer.count(lseek($0.descriptor(key), offset, whence)) }
    }

    static func seekData(_ key: String, _ offset: Int) -> Step {
        Step("data at") { Answer.count(lseek($0.descriptor(key), offset, lx_seek_data)) }
    }

    static func seekHole(_ key: String, _ offset: Int) -> Step {
        Step("hole at") { Answer.count(lseek($0.descriptor(key), offset, lx_seek_hole)) }
    }

    /// The access mode and status flags of the descriptor that matter to I/O.
    static func statusFlags(_ key: String) -> Step {
        Step("flags") { world in
            let flags = fcntl(world.descriptor(key), F_GETFL)
            guard flags >= 0 else { return Answer.name(errno) }
            return "\(flags & O_ACCMODE)\(flags & O_APPEND != 0 ? " append" : "")"
                + (flags & O_NONBLOCK != 0 ? " nonblock" : "")
        }
    }

    static func setAppend(_ key: String) -> Step {
        Step("set append") { Answer.of(fcntl($0.descriptor(key), F_SETFL, O_APPEND)) }
    }
}

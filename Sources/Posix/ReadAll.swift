internal import CLinux
public import SystemPackage

extension Descriptor {
    /// Another descriptor of the same open file.
    public borrowing func duplicate() throws(Errno) -> Descriptor {
        Descriptor(owning: try valueOrErrno(lx_dup_cloexec(raw)))
    }

    /// A file without a name that holds `bytes`, in memory, to be read from its start.
    public static func holding(_ bytes: [UInt8]) throws(Errno) -> Descriptor {
        let file = Descriptor(owning: try valueOrErrno(lx_memory_file()))
        try file.writeAll(bytes)
        try valueOrErrno(lx_lseek(file.raw, 0, 0))
        return file
    }

    /// Reads from where the descriptor stands to the end of the file.
    /// - Parameter limitBytes: more than that is refused.
    /// - Throws: `fileTooLarge` over the limit; what read(2) answers.
    public borrowing func readAll(limitBytes: Int = 16 << 20) throws(Errno) -> [UInt8] {
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let raw = self.raw
        while true {
            let count = try retrying { lx_read(raw, &chunk, UInt64(chunk.count)) }
            if count == 0 { return content }
            content += chunk[..<Int(count)]
            if content.count > limitBytes { throw .fileTooLarge }
        }
    }

    /// Writes all of `bytes`, however many calls it takes.
    public borrowing func writeAll(_ bytes: [UInt8]) throws(Errno) {
        var rest = bytes[...]
        let raw = self.raw
        while !rest.isEmpty {
            let count = try retrying {
                rest.withUnsafeBytes { lx_write(raw, $0.baseAddress, UInt64($0.count)) }
            }
            rest = rest.dropFirst(Int(count))
        }
    }
}

/// The text of a file that the system keeps (/proc, /sys, /etc); nil where it cannot be read.
public func systemText(_ path: String, limitBytes: Int = 16 << 20) -> String? {
    guard let file = try? Descriptor(path, flags: 0), let bytes = try? file.readAll(limitBytes: limitBytes)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
}

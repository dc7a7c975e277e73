internal import CLinux
internal import CSuite
internal import Glibc

/// Texts of results.
enum Answer {
    /// The name of an error number: "ENOENT".
    static func name(_ number: Int32) -> String {
        guard let name = lx_errno_name(number) else { return "errno \(number)" }
        return String(cString: name)
    }

    /// "ok", or the name of `errno`, which must be the one that `result`'s call has left.
    static func of(_ result: some BinaryInteger) -> String {
        result < 0 ? name(errno) : "ok"
    }

    /// The number, or the name of `errno`.
    static func count(_ result: some BinaryInteger) -> String {
        result < 0 ? name(errno) : String(result)
    }

    /// "ok", or the error's name, of a result that is -errno.
    static func negated(_ result: some SignedInteger) -> String {
        result < 0 ? name(Int32(-result)) : "ok"
    }

    /// A mode's lower twelve bits: "0644".
    static func mode(_ bits: mode_t) -> String {
        let text = String(bits & 0o7777, radix: 8)
        return String(repeating: "0", count: 4 - text.utf8.count) + text
    }

    /// Contents as text: runs of four or more as `x*4096`, other than printable as `\00`; where that is
    /// still long, a count and a hash.
    static func contents(_ bytes: [UInt8]) -> String {
        var text = ""
        var index = 0
        while index < bytes.count {
            let end = bytes[index...].firstIndex { $0 != bytes[index] } ?? bytes.count
            let run = end - index
            let shown = printable(bytes[index])
            text += run >= 4 ? "\(shown)*\(run) " : String(repeating: shown, count: run)
            if text.utf8.count > 100 { return "\(bytes.count) bytes \(hash(bytes))" }
            index = end
        }
        return "'\(text)'"
    }

    private static func printable(_ byte: UInt8) -> String {
        if byte == 0x5C { return "\\\\" }
        return (0x20..<0x7F).contains(byte) ? String(UnicodeScalar(byte)) : "\\" + hexadecimal(byte)
    }

    static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }

    /// FNV-1a: tells contents apart, no more is asked of it.
    private static func hash(_ bytes: [UInt8]) -> String {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return String(value, radix: 16)
    }
}

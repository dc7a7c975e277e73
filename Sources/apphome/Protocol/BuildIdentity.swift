internal import CLinux
internal import Glibc
internal import Posix

/// Which build of AppHome this process runs.
///
/// The linker's build id is a hash of what was linked, so copies of one build agree wherever they lie; the
/// executable's size is added for a build that was altered afterwards (stripped, say). A process knows its
/// own even after its file was replaced: the id is read from memory, the size through /proc/self/exe.
enum BuildIdentity {
    /// Sixteen or more hexadecimal digits.
    static let current: String = {
        var details = stat()
        let size = stat("/proc/self/exe", &details) == 0 ? details.st_size : 0
        return hexadecimal(Process.buildID.prefix(16)) + "-" + String(size, radix: 16)
    }()

    /// The version that people see.
    static let version = "0.1.0"

    /// Version and the beginning of the build, as errors name them.
    static func shown(version: String, build: String) -> String { "\(version) (\(build.prefix(8)))" }
}

/// Two digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

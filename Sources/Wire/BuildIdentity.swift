internal import CLinux
internal import Glibc
internal import Posix

/// Which build of AppHome this process runs.
///
/// The linker's build id is a hash of what was linked, so copies of one build agree wherever they lie; the
/// executable's size is added for a build that was altered afterwards (stripped, say). A process knows its
/// own even after its file was replaced: the id is read from memory, the size through /proc/self/exe.
public enum BuildIdentity {
    /// Sixteen hexadecimal digits.
    public static let current: String = {
        var details = stat()
        let size = stat("/proc/self/exe", &details) == 0 ? details.st_size : 0
        // FNV-1a, 64 bits: the two as one short word, which differs from its first digits on.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Process.buildID + Array(String(size).utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return Hex.text(hash)
    }()

    /// The version that people see.
    public static let version = "0.1.0"

    /// Version and the beginning of the build, as errors name them.
    public static func shown(version: String, build: String) -> String { "\(version) (\(build.prefix(8)))" }
}

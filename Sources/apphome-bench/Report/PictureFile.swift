import Glibc
import Posix
import SystemPackage

/// The file that the picture is written to.
final class PictureFile: Sendable {
    private let path: String
    private let file: SharedDescriptor

    /// Makes it, or empties it.
    init(_ path: String) throws(BenchmarkError) {
        self.path = path
        do throws(Errno) {
            file = SharedDescriptor(
                try Descriptor(path, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o644))
        } catch {
            throw BenchmarkError(message: "cannot write \(path): \(error)")
        }
    }

    func write(_ report: Report) throws(BenchmarkError) {
        guard let picture = report.picture() else {
            throw BenchmarkError(message: "no picture: it compares with a directory named native")
        }
        do throws(Errno) { try file.descriptor.writeAll(Array(picture.svg().utf8)) } catch {
            throw BenchmarkError(message: "cannot write \(path): \(error)")
        }
    }
}

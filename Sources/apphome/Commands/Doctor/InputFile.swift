internal import Doctor
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// A file that a command reads what it is told from.
enum InputFile {
    /// - Parameter sizeLimit: in bytes; what is larger is refused.
    /// - Returns: nil where there is none, and there need not be one.
    /// - Throws: one line that names the file, with status 64.
    static func read<Content>(
        _ path: String, _ sizeLimit: Int, isOptional: Bool,
        _ parse: ([UInt8]) throws(FileDamage) -> Content
    ) throws -> Content? {
        let bytes: [UInt8]
        do throws(Errno) {
            // Not blocking: a fifo in the place of a file must not hold us up.
            let file = try Descriptor(path, flags: O_RDONLY | O_NONBLOCK)
            guard try ItemStamp(of: file.raw).isRegular else {
                throw Errno.notSupported
            }
            bytes = try file.readAll(limitBytes: sizeLimit)
        } catch .noSuchFileOrDirectory {
            if isOptional { return nil }
            throw CommandFailure("cannot read \(path): it is not there", exitStatus: 64)
        } catch .notSupported {
            throw CommandFailure("cannot read \(path): it is no file", exitStatus: 64)
        } catch {
            throw CommandFailure("cannot read \(path): \(error)", exitStatus: 64)
        }
        do throws(FileDamage) { return try parse(bytes) } catch {
            throw CommandFailure("cannot use \(path): \(error.reason)", exitStatus: 64)
        }
    }
}

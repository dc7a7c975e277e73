internal import SyncContent
internal import SystemPackage

extension LocalError {
    init(_ errno: Errno) {
        switch errno {
        case .noSuchFileOrDirectory, .notDirectory, Errno(rawValue: 116): self = .gone
        case .fileExists, .directoryNotEmpty, .isDirectory: self = .changed
        case .wouldBlock: self = .inUse
        case .noSpace, .diskQuotaExceeded: self = .full
        default: self = .failed(errno.rawValue)
        }
    }

    /// Runs calls of the tree, whose errors are those of system calls.
    static func from<R: ~Copyable>(_ body: () throws(Errno) -> R) throws(LocalError) -> R {
        do throws(Errno) { return try body() } catch { throw LocalError(error) }
    }
}

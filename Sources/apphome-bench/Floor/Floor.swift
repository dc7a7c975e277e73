import CLinux
import Glibc
import Posix
import SystemPackage

/// F, the time of one request that is answered at once: a mount of `apphome-bench floor`, seen from outside.
final class Floor {
    private let root: Descriptor
    private let callCount: Int

    /// - Throws: ENODATA where something else than the floor is mounted there.
    init(_ directory: Options.Directory, scale: Scale) throws(Errno) {
        root = try Descriptor(directory.path, flags: O_RDONLY | lx_o_directory)
        callCount = scale.callCount
        try call(1)
    }

    /// - Returns: the seconds of one request, the mean of a sample's calls.
    func sampleSeconds() throws(Errno) -> Double {
        // What the kernel forgot of the name is looked up before the time runs.
        try call(1)
        let start = ContinuousClock.now
        try call(callCount)
        return (ContinuousClock.now - start) / .seconds(1) / Double(callCount)
    }

    private func call(_ count: Int) throws(Errno) {
        var value: UInt64 = 0
        for _ in 0..<count {
            let size = lx_getxattrat(root.raw, NullFileSystem.fileName, NullFileSystem.attribute, &value, 8)
            if try valueOrErrno(size) != NullFileSystem.value.utf8.count { throw .noData }
        }
    }
}

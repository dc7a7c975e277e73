import CLinux
import Posix
import SystemPackage

/// The CPUs that this thread may run on.
struct Affinity: Equatable {
    /// One bit for each of 1,024 CPUs, what sched_setaffinity(2) takes.
    private var words = [UInt64](repeating: 0, count: 16)

    /// What holds now.
    static func current() throws(Errno) -> Affinity {
        var affinity = Affinity()
        let size = UInt64(affinity.words.count * 8)
        try valueOrErrno(
            affinity.words.withUnsafeMutableBufferPointer { lx_get_affinity($0.baseAddress, size) })
        return affinity
    }

    /// The lowest CPU in it; nil where there is none.
    var firstCPU: Int? {
        guard let index = words.firstIndex(where: { $0 != 0 }) else { return nil }
        return index * 64 + words[index].trailingZeroBitCount
    }

    static func only(cpu: Int) -> Affinity {
        var affinity = Affinity()
        affinity.words[cpu / 64] = 1 << UInt64(cpu % 64)
        return affinity
    }

    func apply() throws(Errno) {
        let size = UInt64(words.count * 8)
        try valueOrErrno(words.withUnsafeBufferPointer { lx_set_affinity($0.baseAddress, size) })
    }
}

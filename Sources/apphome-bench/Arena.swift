import CLinux
import Glibc
import Posix
import SystemPackage

/// A directory under measurement: an own, empty folder in it, and what the timed loops need ready-made.
// Unchecked: the benchmark has one thread; the workloads' closures are Sendable only to be constants.
final class Arena: @unchecked Sendable {
    let label: String
    let scale: Scale
    let buffer: UnsafeMutableRawBufferPointer
    let names: NameTable
    let otherNames: NameTable
    let entries: NameTable
    /// An own folder of the workload that runs: its files are nobody else's.
    private(set) var folder: Int32
    private let root: Descriptor
    private let folderName: String

    static let largeFile = "large"

    /// Makes the folder in `directory`.
    init(label: String, directory: String, scale: Scale) throws(Errno) {
        self.label = label
        self.scale = scale
        root = try Descriptor(directory, flags: O_RDONLY | lx_o_directory)
        folderName = "apphome-bench-\(getpid())"
        buffer = .allocate(byteCount: Scale.chunkBytes, alignment: 4_096)
        buffer.initializeMemory(as: UInt8.self, repeating: 0x5A)
        names = NameTable(prefix: "file", count: scale.callCount)
        otherNames = NameTable(prefix: "moved", count: scale.callCount)
        entries = NameTable(prefix: "entry", count: scale.entryCount)
        folder = -1
        try valueOrErrno(lx_mkdirat(root.raw, folderName, 0o755))
        do throws(Errno) {
            folder = try Descriptor(at: root.raw, folderName, flags: O_RDONLY | lx_o_directory).release()
        } catch {
            _ = lx_unlinkat(root.raw, folderName, lx_at_removedir)
            throw error
        }
    }

    deinit {
        _ = lx_close(folder)
        buffer.deallocate()
    }

    /// Removes all files that a broken-off workload left in the folder.
    func clear() {
        for table in [names, otherNames, entries] {
            for index in 0..<table.count { _ = lx_unlinkat(folder, table[index], 0) }
        }
        _ = lx_unlinkat(folder, Self.largeFile, 0)
    }

    /// Removes the folder.
    func remove() {
        clear()
        _ = lx_unlinkat(root.raw, folderName, lx_at_removedir)
    }

    /// Writes out what is dirty, so that no sample pays for the one before it.
    func settle() { _ = lx_syncfs(root.raw) }
}

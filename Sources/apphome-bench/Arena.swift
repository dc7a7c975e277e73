import CLinux
import Glibc
import Posix
import SystemPackage

/// A directory under measurement: an own, empty folder in it, and what the timed loops need ready-made.
// Unchecked: the benchmark has one thread; the workloads' closures are Sendable only to be constants.
final class Arena: @unchecked Sendable {
    let directory: Options.Directory
    let scale: Scale
    let buffer: UnsafeMutableRawBufferPointer
    let names: NameTable
    let otherNames: NameTable
    let absentNames: NameTable
    let entries: NameTable
    /// Where in the large file the random workloads read and write, alike in every directory.
    let offsets: [Int64]
    /// What the tree workloads start from.
    let source: SourceTree?
    /// An own folder of the workload that runs: its files are nobody else's.
    private(set) var folder: Int32
    /// The folder's absolute path, for programs.
    let path: String
    /// The large file while a sample runs; -1: closed.
    private(set) var file: Int32 = -1
    private let root: Descriptor
    private let folderName: String
    /// What programs said that ran in the folder.
    let complaints: Complaints

    static let largeFile = "large"
    /// What it holds, byte by byte.
    static let filling: UInt8 = 0x5A

    var label: String { directory.label }

    /// Makes the folder in `directory`.
    init(_ directory: Options.Directory, scale: Scale, source: SourceTree?) throws(Errno) {
        self.directory = directory
        self.scale = scale
        self.source = source
        complaints = try Complaints()
        root = try Descriptor(directory.path, flags: O_RDONLY | lx_o_directory)
        folderName = "apphome-bench-\(getpid())"
        path = "\(try absolutePath(directory.path))/\(folderName)"
        buffer = .allocate(byteCount: Scale.chunkBytes, alignment: 4_096)
        buffer.initializeMemory(as: UInt8.self, repeating: Self.filling)
        names = NameTable(prefix: "file", count: scale.callCount)
        otherNames = NameTable(prefix: "moved", count: scale.callCount)
        absentNames = NameTable(prefix: "absent", count: scale.callCount)
        entries = NameTable(prefix: "entry", count: scale.entryCount)
        offsets = randomOffsets(count: scale.callCount, sizeBytes: scale.sizeBytes)
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
        closeFile()
        _ = lx_close(folder)
        buffer.deallocate()
    }

    /// Removes all that a broken-off workload left in the folder.
    func clear() {
        closeFile()
        try? Program.find.run([path, "-mindepth", "1", "-delete"])
    }

    /// Removes the folder.
    func remove() {
        clear()
        _ = lx_unlinkat(root.raw, folderName, lx_at_removedir)
    }

    /// Writes out what is dirty, so that no sample pays for the one before it.
    func syncToDisk() { _ = lx_syncfs(root.raw) }

    /// Runs a program that works in the folder; what it says of a failure is in `complaints`.
    func run(_ program: Program, _ arguments: [String], expecting status: Int32 = 0) throws(Errno) {
        try program.run(arguments, expecting: status, complaints: complaints.raw)
    }

    /// Opens the large file, as `file`.
    func openFile(flags: Int32) throws(Errno) {
        file = try Descriptor(at: folder, Self.largeFile, flags: flags).release()
    }

    func closeFile() {
        if file >= 0 { _ = lx_close(file) }
        file = -1
    }
}

private func absolutePath(_ path: String) throws(Errno) -> String {
    guard let resolved = realpath(path, nil) else { throw Errno(rawValue: errno) }
    defer { free(resolved) }
    return String(cString: resolved)
}

/// Offsets of whole blocks; the same at each call.
private func randomOffsets(count: Int, sizeBytes: Int) -> [Int64] {
    var generator = SeededGenerator(seed: 4_096)
    let blockCount = sizeBytes / Scale.smallFileBytes
    return (0..<count).map { _ in
        Int64(Int.random(in: 0..<blockCount, using: &generator) * Scale.smallFileBytes)
    }
}

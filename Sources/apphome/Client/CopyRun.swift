internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// Runs cp(1) from one folder to another, and tells how far it is.
final class CopyRun {
    private let source: SharedDescriptor
    private let target: SharedDescriptor
    private let interrupt: Interrupt
    private let show: (Progress) -> Void
    private var progress = Progress(bytesDone: 0)

    private static let pauseSeconds = 0.25

    init(
        from source: SharedDescriptor, to target: SharedDescriptor, _ interrupt: Interrupt,
        _ show: @escaping (Progress) -> Void
    ) {
        (self.source, self.target) = (source, target)
        (self.interrupt, self.show) = (interrupt, show)
    }

    /// Counts what these items hold on the disk, and tells it: holes are not written.
    func expect(_ names: [String]) throws(Errno) {
        var sum = StoredBytes()
        for name in names { try sum.add(Array(name.utf8CString), in: source.raw) }
        progress.totalBytes = sum.bytes
        show(progress)
    }

    /// - Parameter sharing: whether blocks may be shared: what `--reflink` takes.
    /// - Returns: the exit status of cp.
    func copy(_ names: [String], sharing: String) throws(Errno) -> Int32 {
        if names.isEmpty { return 0 }
        // By descriptors, which are those numbers in it.
        let words = names.map { "/proc/self/fd/3/" + $0 } + ["/proc/self/fd/4/"]
        let child = try Child(
            "/bin/cp", arguments: ["-a", "--reflink=" + sharing, "--"] + words, environment: [],
            descriptors: [0, 1, 2, source.raw, target.raw])
        let before = progress.bytesDone
        var isOver = false
        while !isOver {
            isOver = child.hasEnded(by: Deadline(seconds: Self.pauseSeconds))
            if let bytes = child.writtenBytes {
                progress.bytesDone = before.addingSaturated(bytes)
                progress.totalBytes = progress.totalBytes.map { max($0, progress.bytesDone) }
                show(progress)
            }
            if !isOver, interrupt.hasCome {
                child.end()
                break
            }
        }
        return try child.wait()
    }
}

/// Adds up what files hold on the disk, one with several names once.
private struct StoredBytes {
    private(set) var bytes: Int64 = 0
    private var seen: Set<ino_t> = []

    mutating func add(_ name: [CChar], in directory: Int32, depth: Int = 0) throws(Errno) {
        var status = stat()
        // What goes meanwhile is copied by nobody.
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        switch status.st_mode & S_IFMT {
        case S_IFREG where status.st_nlink < 2 || seen.insert(status.st_ino).inserted:
            bytes = bytes.addingSaturated(min(Int64(status.st_size), Int64(status.st_blocks) * 512))
        case S_IFDIR where depth < Self.mostLevels:
            // One that its owner closed is for cp to complain of.
            guard let folder = try? FileTree.openDirectory(directory, name) else { return }
            for name in try DirectoryEntries.names(in: folder.raw) {
                try add(name, in: folder.raw, depth: depth + 1)
            }
        default: break
        }
    }

    /// What lies deeper is copied, and not counted: each level holds a descriptor.
    private static let mostLevels = 256
}

import CLinux
import Glibc
import Posix
import SystemPackage

/// A source tree made from a seed, as the archive and the git repository that the tree workloads start from.
/// It lies outside of the directories under measurement, in the folder for temporary files.
final class SourceTree: Sendable {
    /// The archive's one folder.
    static let name = "tree"
    /// A word that no file holds.
    static let absentWord = "zyzzyva"

    private let folder: String
    var archive: String { "\(folder)/tree.tar" }
    var repository: String { "\(folder)/\(Self.name)" }

    /// Makes `fileCount` files of text, most of them small, 16 to a folder.
    init(fileCount: Int, seed: UInt64) throws(Errno) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        folder = "\(parent)/apphome-bench-tree-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        // Open to the users whose calls are measured.
        try valueOrErrno(lx_mkdirat(Descriptor.workingDirectory, folder, 0o755))
        do throws(Errno) {
            try write(fileCount: fileCount, seed: seed)
            try Program.tar.run(["-C", folder, "--sort=name", "-cf", archive, Self.name])
            for arguments in [["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "All"]] {
                try Program.git.run(["-C", repository] + arguments)
            }
        } catch {
            remove()
            throw error
        }
    }

    func remove() { try? Program.remove.run(["-rf", "--", folder]) }

    private func write(fileCount: Int, seed: UInt64) throws(Errno) {
        var generator = SeededGenerator(seed: seed)
        let text = Self.text(sizeBytes: 256 << 10, &generator)
        try valueOrErrno(lx_mkdirat(Descriptor.workingDirectory, repository, 0o755))
        for index in 0..<fileCount {
            let directory = Self.directory(ofFile: index)
            // The first file of a folder makes it, and those above it that are not there yet.
            if index.isMultiple(of: Self.filesPerFolder) { try makeDirectories(directory) }
            let start = Int.random(in: 0..<(text.count / 2), using: &generator)
            let size = Self.size(&generator)
            let file = try Descriptor(
                "\(repository)/\(directory)/source\(index).c", flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644
            )
            try file.writeAll(Array("// \(index)\n".utf8) + text[start..<(start + size)])
        }
    }

    private func makeDirectories(_ directory: String) throws(Errno) {
        var path = repository
        for part in directory.pathParts {
            path += "/\(part)"
            let made = lx_mkdirat(Descriptor.workingDirectory, path, 0o755)
            if made != -Errno.fileExists.rawValue { try valueOrErrno(made) }
        }
    }

    private static let filesPerFolder = 16

    /// Folders lie in folders, eight in each.
    static func directory(ofFile index: Int) -> String {
        var rest = index / filesPerFolder
        var parts = ["part\(rest % 8)"]
        while rest >= 8 {
            rest /= 8
            parts.insert("part\(rest % 8)", at: 0)
        }
        return parts.joined(separator: "/")
    }

    /// As in source trees: most files are of a few KiB, some of many.
    private static func size(_ generator: inout SeededGenerator) -> Int {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<70: Int.random(in: 512...8_192, using: &generator)
        case 70..<95: Int.random(in: 8_192...32_768, using: &generator)
        default: Int.random(in: 32_768...131_072, using: &generator)
        }
    }

    private static func text(sizeBytes: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        let letters = Array("abcdefghijklmnopqrstuvwx".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(sizeBytes + 16)
        while text.count < sizeBytes {
            for _ in 0..<Int.random(in: 2...10, using: &generator) {
                text.append(letters[Int.random(in: 0..<letters.count, using: &generator)])
            }
            text.append(Int.random(in: 0..<10, using: &generator) == 0 ? 0x0A : 0x20)
        }
        return text
    }
}

import CLinux
import CSuite
import Glibc
import SystemPackage

@testable import posix_suite

/// A directory that any user may write, gone with all it holds when the value ends.
struct ScratchDirectory: ~Copyable {
    let path: String

    init() throws(Errno) {
        var template = Array("/tmp/posix-suite-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, 0o777)
    }

    var entryCount: Int {
        guard let listing = opendir(path) else { return -1 }
        defer { closedir(listing) }
        var count = 0
        while let entry = Tree.next(listing) { count += entry.isDots ? 0 : 1 }
        return count
    }

    deinit { Tree.remove(Array(path.utf8), in: lx_at_fdcwd) }
}

extension Runner.Outcome {
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

/// The built program, which lies beside the tests.
enum Program {
    struct Result {
        let status: Int32
        let output: String
        var lastLine: String { String(output.split(separator: "\n").last ?? "") }
    }

    static func run(_ arguments: [String]) throws(Errno) -> Result {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        var pid: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        let number = posix_spawn(&pid, path, &actions, nil, words + [nil], nil)
        close(ends[1])
        guard number == 0 else { throw Errno(rawValue: number) }
        let output = readAll(ends[0])
        return Result(status: lx_wait_status(pid), output: output)
    }

    private static var path: String { folder + "/posix-suite" }

    /// Where the built programs lie.
    static var folder: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        let count = max(readlink("/proc/self/exe", &buffer, buffer.count), 0)
        let tests = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return tests.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    }

    private static func readAll(_ descriptor: Int32) -> String {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65536))
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<count]
        }
    }
}

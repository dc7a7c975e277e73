import CLinux
import FuseKit
import Glibc
import SystemPackage
import TestKit
import Testing

/// Which requests the kernel sends for one call of an application. Each is a round trip between two programs:
/// this table is where speed is won or lost, and a change that costs one more shows here.
@Suite struct RequestTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// By operation, for one call; FORGET is not counted, for it comes when the kernel likes.
        let expected: [String: UInt64]
        /// GETATTRs besides, for all ten calls, where the kernel checks mode bits: it asks for the
        /// directory's anew after each change in it, also the one before the count.
        var rechecks: UInt64 = 1
        /// Whether each call opens and closes a directory, where the kernel checks nothing: it may not list
        /// what it was not given.
        var opensDirectory = false
        var data = DataPath.splice
        /// Runs for all paths before the count begins; both run in Documents.
        var before: @Sendable (String) throws -> Void = { _ in }
        let call: @Sendable (String) throws -> Void

        var testDescription: String { name }

        func expectation(_ kernelChecksAccess: Bool) -> [String: UInt64] {
            var all = expected.mapValues { $0 * 10 }
            // A listing is asked for the status of `..`, which is the directory that was changed.
            if kernelChecksAccess || opensDirectory { all["GETATTR"] = rechecks }
            if !kernelChecksAccess, opensDirectory { (all["OPENDIR"], all["RELEASEDIR"]) = (10, 10) }
            return all
        }
    }

    /// Of the home that an ordinary user mounts the kernel checks no mode bits.
    @Test(arguments: Passthrough.isPermitted ? cases + passthroughCases : cases, [true, false])
    func tenCallsMakeTheseRequests(_ item: Case, _ kernelChecksAccess: Bool) throws {
        let mounted = try MountedHome(data: item.data, kernelChecksAccess: kernelChecksAccess)
        let paths = (0..<10).map { "\(mounted.documents)/f\($0)" }
        for path in paths { try item.before(path) }
        // The first FLUSH and OPENDIR of a mount may tell the kernel that it need send no other.
        close(open(mounted.documents + "/Inbox/letter", O_RDONLY))
        close(open(mounted.documents, O_RDONLY))
        try write("", to: mounted.documents + "/last")
        unlink(mounted.documents + "/last")
        let start = counts(mounted, beyond: [:])
        for path in paths { try item.call(path) }
        let made = counts(mounted, beyond: start).compactMap { operation, count -> (String, UInt64)? in
            let more = count - start[operation, default: 0]
            return more > 0 && !isForget(operation) ? (names[operation] ?? "\(operation)", more) : nil
        }
        #expect(Dictionary(uniqueKeysWithValues: made) == item.expectation(kernelChecksAccess))
    }

    /// The counts once nothing more comes: RELEASE is sent after close(2) has returned.
    private func counts(_ mounted: borrowing MountedHome, beyond start: [UInt32: UInt64]) -> [UInt32: UInt64]
    {
        var counts = mounted.requests
        repeat {
            usleep(30_000)
            let next = mounted.requests
            if next == counts { break }
            counts = next
        } while true
        return counts
    }

    static let cases: [Case] = [
        Case(
            name: "stat of a known file", expected: [:],
            before: {
                try make($0)
                _ = try status($0)
            }, call: { _ = try status($0) }),
        Case(
            name: "stat of a name that was absent before", expected: [:],
            before: {
                // What a new directory holds is known at once.
                mkdir($0, 0o755)
                _ = try? status("\($0)/x")
            }, call: { _ = try? status("\($0)/x") }),
        Case(name: "stat of an absent name", expected: ["LOOKUP": 1]) { _ = try? status($0) },
        Case(name: "open and close", expected: ["OPEN": 1, "RELEASE": 1], before: make) {
            close(open($0, O_RDONLY))
        },
        Case(
            name: "open, read and close again", expected: ["OPEN": 1, "RELEASE": 1],
            before: {
                try make($0)
                _ = try contents(of: $0)
            }, call: { _ = try contents(of: $0) }),
        Case(
            name: "create, write and close",
            expected: ["LOOKUP": 1, "CREATE": 1, "GETXATTR": 1, "WRITE": 1, "RELEASE": 1], rechecks: 10
        ) {
            try write("text", to: $0)
        },
        Case(
            name: "400 writes",
            expected: ["LOOKUP": 1, "CREATE": 1, "GETXATTR": 1, "WRITE": 400, "RELEASE": 1], rechecks: 10
        ) {
            try makeByManyWrites($0)
        },
        Case(name: "chmod", expected: ["SETATTR": 1], before: make) { chmod($0, 0o600) },
        Case(name: "utimensat", expected: ["SETATTR": 1], before: make) {
            utimensat(AT_FDCWD, $0, nil, 0)
        },
        Case(name: "rename", expected: ["LOOKUP": 1, "RENAME": 1], rechecks: 10, before: make) {
            rename($0, $0 + "2")
        },
        Case(name: "unlink", expected: ["UNLINK": 1], rechecks: 10, before: make) { unlink($0) },
        Case(name: "mkdir", expected: ["LOOKUP": 1, "MKDIR": 1], rechecks: 10) { mkdir($0, 0o755) },
        Case(
            name: "rmdir", expected: ["RMDIR": 1], rechecks: 10, before: { mkdir($0, 0o755) },
            call: { rmdir($0) }),
        Case(name: "symlink", expected: ["LOOKUP": 1, "SYMLINK": 1], rechecks: 10) { symlink("target", $0) },
        Case(
            name: "readlink again", expected: [:],
            before: {
                symlink("target", $0)
                readTarget($0)
            }, call: readTarget),
        Case(name: "getxattr", expected: ["GETXATTR": 1], before: make) {
            lx_getxattrat(AT_FDCWD, $0, "user.a", nil, 0)
        },
        Case(name: "setxattr", expected: ["SETXATTR": 1], before: make) {
            lx_setxattrat(AT_FDCWD, $0, "user.a", "1", 1, 0)
        },
        Case(
            name: "ls -l again", expected: [:], opensDirectory: true,
            before: {
                mkdir($0, 0o755)
                for index in 0..<100 { try make("\($0)/\(index)") }
                for _ in 0..<2 { try listAll($0) }
            }, call: listAll),
    ]

    static let passthroughCases: [Case] = [
        Case(
            name: "400 writes by passthrough",
            expected: ["LOOKUP": 1, "CREATE": 1, "GETXATTR": 1, "RELEASE": 1], rechecks: 10,
            data: .passthrough
        ) {
            try makeByManyWrites($0)
        },
        Case(
            name: "a large file read by passthrough", expected: ["OPEN": 1, "RELEASE": 1],
            data: .passthrough, before: { try write(String(repeating: "text", count: 250_000), to: $0) },
            call: { _ = try contents(of: $0) }),
    ]

    private let names: [UInt32: String] = [
        1: "LOOKUP", 3: "GETATTR", 4: "SETATTR", 5: "READLINK", 6: "SYMLINK", 8: "MKNOD", 9: "MKDIR",
        10: "UNLINK", 11: "RMDIR", 12: "RENAME", 13: "LINK", 14: "OPEN", 15: "READ", 16: "WRITE",
        17: "STATFS", 18: "RELEASE", 20: "FSYNC", 21: "SETXATTR", 22: "GETXATTR", 23: "LISTXATTR",
        24: "REMOVEXATTR", 25: "FLUSH", 27: "OPENDIR", 28: "READDIR", 29: "RELEASEDIR", 35: "CREATE",
        44: "READDIRPLUS", 45: "RENAME", 34: "ACCESS",
    ]

    private func isForget(_ operation: UInt32) -> Bool { operation == 2 || operation == 42 }

    @Sendable private static func make(_ path: String) throws { try write("text", to: path) }

    @Sendable private static func makeByManyWrites(_ path: String) throws {
        let file = open(path, O_CREAT | O_WRONLY, 0o644)
        for index in 0..<400 { try #require(pwrite(file, "x", 1, off_t(index)) == 1) }
        close(file)
    }

    @Sendable private static func readTarget(_ path: String) {
        var target = [CChar](repeating: 0, count: 100)
        readlink(path, &target, 100)
    }

    @Sendable private static func listAll(_ path: String) throws {
        guard let listing = opendir(path) else { throw Errno(rawValue: errno) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            _ = try status("\(path)/\(name)")
        }
        closedir(listing)
    }
}

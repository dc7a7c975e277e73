import CLinux
import FuseKit
import Glibc
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

/// Numbers of requests, as the kernel has them.
enum Operation {
    static let forget: UInt32 = 2
    static let getattr: UInt32 = 3
    static let read: UInt32 = 15
    static let write: UInt32 = 16
    static let release: UInt32 = 18
}

extension MountedHome {
    func count(_ operation: UInt32) -> UInt64 { requests[operation] ?? 0 }

    /// Waits until as many files were released: the kernel says so after close(2) has returned.
    func waitForReleases(_ count: UInt64) throws {
        guard eventually({ self.count(Operation.release) >= count }) else { throw Errno.timedOut }
    }
}

/// The bytes of a file that is open.
func bytes(_ file: Int32, _ count: Int, at offset: Int = 0) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = pread(file, &bytes, count, offset)
    return Array(bytes[..<max(0, got)])
}

/// Contents that the kernel reads and writes by itself: as root, on a backing file system that can.
@Suite(.enabled(if: Process.effectiveUserID == 0)) struct PassthroughTests {
    @Test func aCreatedFileIsWrittenAndReadWithoutARequest() throws {
        let mounted = try MountedHome()
        #expect(mounted.passthroughRefusal == nil)
        let file = open(mounted.documents + "/a", O_CREAT | O_RDWR, 0o644)
        defer { close(file) }
        #expect(pwrite(file, "abc", 3, 0) == 3)
        #expect(bytes(file, 4) == Array("abc".utf8))
        #expect(try contents(of: mounted.container + "/Documents/a") == "abc")
        #expect(mounted.count(Operation.write) == 0)
        #expect(mounted.count(Operation.read) == 0)
    }

    @Test func aFileOpenedForWritingPassesThroughAndSoDoesWhoReadsItMeanwhile() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write("abc", to: mounted.container + "/Documents/a")
        let writer = open(path, O_WRONLY)
        defer { close(writer) }
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        #expect(pwrite(writer, "X", 1, 1) == 1)
        #expect(bytes(reader, 4) == Array("aXc".utf8))
        #expect(mounted.count(Operation.write) == 0)
        #expect(mounted.count(Operation.read) == 0)
    }

    @Test func aSmallFileOpenedForReadingIsCachedAndALargeOnePassesThrough() throws {
        let mounted = try MountedHome()
        try write("small", to: mounted.container + "/Documents/small")
        try write(String(repeating: "x", count: 1 << 20), to: mounted.container + "/Documents/large")
        for _ in 0..<3 {
            let large = open(mounted.documents + "/large", O_RDONLY)
            #expect(bytes(large, 1 << 20).count == 1 << 20)
            close(large)
        }
        #expect(mounted.count(Operation.read) == 0)
        for _ in 0..<3 { #expect(try contents(of: mounted.documents + "/small") == "small") }
        // One, and the page cache keeps it for the others.
        #expect(mounted.count(Operation.read) == 1)
    }

    @Test func anOpenForWritingThatMeetsACachedFileStaysCachedUntilTheLastClose() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write("abc", to: mounted.container + "/Documents/a")
        let reader = open(path, O_RDONLY)
        #expect(bytes(reader, 4) == Array("abc".utf8))
        let writer = open(path, O_RDWR)
        #expect(pwrite(writer, "X", 1, 1) == 1)
        #expect(mounted.count(Operation.write) == 1)
        #expect(bytes(reader, 4) == Array("aXc".utf8))
        close(reader)
        try mounted.waitForReleases(1)
        // Cached to the last close, whoever opened it first.
        let second = open(path, O_WRONLY)
        #expect(pwrite(second, "Y", 1, 0) == 1)
        #expect(mounted.count(Operation.write) == 2)
        close(second)
        close(writer)
        try mounted.waitForReleases(3)
        let third = open(path, O_RDWR)
        #expect(pwrite(third, "Z", 1, 2) == 1)
        #expect(mounted.count(Operation.write) == 2)
        #expect(bytes(third, 4) == Array("YXZ".utf8))
        close(third)
    }

    @Test func pagesCachedBeforeAPassthroughWriteAreNotBelievedAfterIt() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write("old", to: mounted.container + "/Documents/a")
        for round in 0..<20 {
            let text = "round \(round)"
            let writer = open(path, O_WRONLY)
            #expect(pwrite(writer, text, text.utf8.count, 0) == text.utf8.count)
            close(writer)
            try mounted.waitForReleases(UInt64(round * 2 + 1))
            _ = try status(path)
            let reads = mounted.count(Operation.read)
            #expect(try contents(of: path) == text)
            try mounted.waitForReleases(UInt64(round * 2 + 2))
            // Through the page cache: else this test shows nothing.
            #expect(mounted.count(Operation.read) == reads + 1)
        }
    }

    @Test func appendedWritesAreRequestsForTheFlagCanBeTakenBack() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/log"
        let log = open(path, O_CREAT | O_RDWR | O_APPEND, 0o644)
        defer { close(log) }
        let other = open(path, O_RDWR)
        defer { close(other) }
        #expect(Glibc.write(log, "abc", 3) == 3)
        #expect(pwrite(other, "X", 1, 0) == 1)
        #expect(bytes(log, 4) == Array("Xbc".utf8))
        #expect(failure { fcntl(log, F_SETFL, 0) } == nil)
        #expect(pwrite(log, "Y", 1, 1) == 1)
        #expect(bytes(other, 4) == Array("XYc".utf8))
        #expect(mounted.count(Operation.write) == 2)
    }

    @Test func theOddLastPieceOfADirectCopyIsWritten() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/copy"
        let source = mounted.container + "/../source"
        try write(String(repeating: "x", count: 5000), to: source)
        #expect(run("/bin/dd", "if=" + source, "of=" + path, "oflag=direct", "bs=4096", "status=none") == 0)
        #expect(try contents(of: path) == String(repeating: "x", count: 5000))
    }

    /// The kernel tells a backing file nothing of fcntl(2): one that was opened with O_DIRECT refuses odd
    /// sizes.
    @Test(arguments: [O_WRONLY, O_RDWR]) func anOddPieceIsWrittenOnceDirectIsTakenBack(access: Int32) throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/blocks"
        let file = open(path, O_CREAT | access | lx_o_direct, 0o644)
        defer { close(file) }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 4096)
        defer { block.deallocate() }
        block.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "x"))
        #expect(pwrite(file, block.baseAddress, 4096, 0) == 4096)
        #expect(failure { fcntl(file, F_SETFL, 0) } == nil)
        #expect(pwrite(file, "odd", 3, 4096) == 3)
        #expect(try contents(of: path) == String(repeating: "x", count: 4096) + "odd")
        // Beside it files that are open without it pass through, and see the same bytes.
        let other = open(path, O_RDWR)
        defer { close(other) }
        let before = mounted.count(Operation.write)
        #expect(pwrite(other, "ODD", 3, 4096) == 3)
        #expect(mounted.count(Operation.write) == before)
        if access == O_RDWR { #expect(pread(file, block.baseAddress, 3, 4096) == 3 && block[0] == 0x4F) }
    }

    @Test func opensFromManyThreadsNeverDisagreeOnTheMode() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write("abc", to: path)
        let failures = Lock(0)
        let threads = try (0..<4).map { index in
            Joined(
                try NativeThread(name: "opener") {
                    for round in 0..<2000 {
                        let file = open(path, (round + index) % 3 == 0 ? O_RDWR : O_RDONLY)
                        var byte: UInt8 = 0
                        let isRight = file >= 0 && pread(file, &byte, 1, 0) == 1 && byte == UInt8(ascii: "a")
                        if !isRight { failures.withLock { $0 += 1 } }
                        if file >= 0 { close(file) }
                    }
                })
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == 0)
    }

    @Test func spliceIsServedByRequests() throws {
        let mounted = try MountedHome(data: .splice)
        #expect(mounted.passthroughRefusal == .notAsked)
        let file = open(mounted.documents + "/a", O_CREAT | O_RDWR, 0o644)
        defer { close(file) }
        #expect(pwrite(file, "abc", 3, 0) == 3)
        #expect(mounted.count(Operation.write) == 1)
    }

    @Test func onAnOverlayNothingPassesThroughAndTheReasonIsKept() throws {
        let folder = try TemporaryFolder()
        let options = try ["lower", "upper", "work"].map { try folder.directory($0) }
        let merged = try folder.directory("merged")
        let layers = "lowerdir=\(options[0]),upperdir=\(options[1]),workdir=\(options[2])"
        try #require(run("/bin/mount", "-t", "overlay", "overlay", "-o", layers, merged) == 0)
        defer { #expect(eventually { umount(merged) == 0 }) }
        do {
            let mounted = try MountedHome(in: merged)
            #expect(
                mounted.passthroughRefusal
                    == .leasesTellNothing)
            let file = open(mounted.documents + "/a", O_CREAT | O_RDWR, 0o644)
            #expect(pwrite(file, "abc", 3, 0) == 3)
            #expect(mounted.count(Operation.write) == 1)
            close(file)
        }
    }
}

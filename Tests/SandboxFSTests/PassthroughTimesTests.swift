import CLinux
import Glibc
import HomeTree
import Posix
import SystemPackage
import TestKit
import Testing

/// Sizes and times of files that are written without a request.
@Suite(.enabled(if: Process.effectiveUserID == 0)) struct PassthroughTimesTests {
    private static let long = timespec(tv_sec: 1000, tv_nsec: 0)

    /// Sets a time long gone, so that every later change shows.
    private func age(_ path: String) { _ = utimensat(AT_FDCWD, path, [Self.long, Self.long], 0) }

    private func isAged(_ path: String) throws -> Bool { try status(path).st_mtim.tv_sec == 1000 }

    private func map(_ path: String) -> UnsafeMutableRawPointer? {
        let file = open(path, O_RDWR)
        defer { close(file) }
        let mapping = mmap(nil, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        return mapping == MAP_FAILED ? nil : mapping
    }

    /// What stat(2) shows of a file that is mapped, closed and written through the map.
    private func mappedWrite(in folder: String) throws -> [String] {
        let path = folder + "/mapped"
        try write(String(repeating: "x", count: 8192), to: path)
        age(path)
        var seen: [String] = []
        func look(_ step: String) throws {
            seen.append("\(step): size \(try status(path).st_size), aged \(try isAged(path))")
        }
        try look("before")
        let mapping = try #require(map(path))
        try look("mapped and closed")
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(msync(mapping, 8192, Int32(MS_SYNC)) == 0)
        try look("written")
        age(path)
        try look("aged again")
        mapping.storeBytes(of: UInt8(ascii: "Z"), toByteOffset: 4096, as: UInt8.self)
        #expect(msync(mapping, 8192, Int32(MS_SYNC)) == 0)
        munmap(mapping, 8192)
        try look("unmapped")
        return seen
    }

    @Test func aMappedWriteAfterCloseShowsInSizeAndTimesAsOnExt4() throws {
        let mounted = try MountedHome()
        let plain = try TemporaryFolder()
        #expect(try mappedWrite(in: mounted.documents) == mappedWrite(in: plain.path))
        #expect(mounted.count(Operation.write) == 0)
    }

    @Test func attributesThatTheKernelBelievedAreAskedForOnceAFileIsOpenForWriting() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        for _ in 0..<10 {
            try write(String(repeating: "x", count: 8192), to: path)
            age(path)
            #expect(
                try eventually {
                    let before = mounted.count(Operation.getattr)
                    return try isAged(path) && mounted.count(Operation.getattr) == before
                })
            let mapping = try #require(map(path))
            mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
            // A look at this time alone: mapping makes the kernel ask for the time of access by itself.
            #expect(run("/bin/sh", "-c", "test $(stat -c %Y \"$0\") -ne 1000", path) == 0)
            munmap(mapping, 8192)
        }
    }

    @Test func aFileThatNobodyWritesAnyMoreIsBelieved() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        let mapping: UnsafeMutableRawPointer
        do {
            try write(String(repeating: "x", count: 8192), to: path)
            mapping = try #require(map(path))
        }
        try mounted.waitForReleases(2)
        // Each asks, for as long as the map is there.
        for _ in 0..<5 {
            let before = mounted.count(Operation.getattr)
            _ = try status(path)
            #expect(mounted.count(Operation.getattr) == before + 1)
        }
        munmap(mapping, 8192)
        #expect(
            try eventually {
                let before = mounted.count(Operation.getattr)
                _ = try status(path)
                return mounted.count(Operation.getattr) == before
            })
    }

    @Test func aFileThatIsOnlyWrittenIsAskedForOnceAfterEachWrite() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        let writer = open(path, O_CREAT | O_WRONLY, 0o644)
        for round in 1...20 {
            age(path)
            #expect(try isAged(path))
            #expect(Glibc.write(writer, "x", 1) == 1)
            let before = mounted.count(Operation.getattr)
            #expect(try !isAged(path))
            #expect(try status(path).st_size == round)
            #expect(try status(path).st_size == round)
            #expect(mounted.count(Operation.getattr) == before + 1)
        }
        close(writer)
        #expect(mounted.count(Operation.write) == 0)
    }

    @Test func aMappedFileWhoseNameTheKernelForgotIsNotBelieved() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write(String(repeating: "x", count: 8192), to: path)
        let mapping = try #require(map(path))
        defer { munmap(mapping, 8192) }
        try mounted.waitForReleases(2)
        // The mapping keeps the inode, and with it what is known of its writers.
        try mounted.forgetName("a")
        age(path)
        #expect(try isAged(path))
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(try !isAged(path))
    }

    @Test func aSmallFileThatIsMappedForWritingIsReadAsItIs() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/a"
        try write(String(repeating: "x", count: 8192), to: path)
        let mapping = try #require(map(path))
        defer { munmap(mapping, 8192) }
        try mounted.waitForReleases(2)
        let reader = open(path, O_RDONLY)
        defer { close(reader) }
        #expect(bytes(reader, 1) == Array("x".utf8))
        mapping.storeBytes(of: UInt8(ascii: "Y"), as: UInt8.self)
        #expect(bytes(reader, 1) == Array("Y".utf8))
    }

    @Test func theSharingViewShowsTheBytesOfAFileThatIsBeingWrittenAtOnce() throws {
        let mounted = try MountedHome()
        let writer = open(mounted.documents + "/a", O_CREAT | O_RDWR, 0o644)
        defer { close(writer) }
        #expect(pwrite(writer, "0", 1, 0) == 1)
        let reader = open(mounted.shared + "/a", O_RDONLY)
        defer { close(reader) }
        let mapping = try #require(mmap(nil, 4096, PROT_READ, MAP_SHARED, reader, 0))
        try #require(mapping != MAP_FAILED)
        defer { munmap(mapping, 4096) }
        for round in UInt8(0)..<100 {
            #expect(pwrite(writer, [round], 1, Int(round)) == 1)
            #expect(bytes(reader, 1, at: Int(round)) == [round])
            #expect(mapping.load(fromByteOffset: Int(round), as: UInt8.self) == round)
            #expect(try status(mounted.shared + "/a").st_size == Int(round) + 1)
        }
        #expect(mounted.sharedPassthroughRefusal == nil)
        #expect(mounted.sharedRequests[Operation.read] == nil)
    }

    @Test func writingTakesSetUserIDAwayWithoutAWriteBeingSeen() throws {
        let mounted = try MountedHome(contentsMode: 0o777)
        let path = mounted.documents + "/program"
        try write("#!", to: path)
        #expect(chown(path, 1000, 1000) == 0)
        for script in ["printf y 1<> \"$0\"", "printf x >> \"$0\"", ": > \"$0\""] {
            #expect(chmod(path, 0o6755) == 0)
            // Who writes is another, with no rights of root's.
            let outcome = run(
                "/usr/bin/setpriv", "--reuid", "1000", "--regid", "1000", "--clear-groups", "/bin/sh", "-c",
                script, path)
            #expect(outcome == 0)
            #expect(try status(path).st_mode & 0o7777 == 0o755, "\(script)")
        }
    }
}

import CLinux
import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

/// Numbers of requests, as the kernel has them.
private enum Operation {
    static let getattr: UInt32 = 3
    static let read: UInt32 = 15
    static let write: UInt32 = 16
}

/// Contents that the kernel reads and writes by itself: as root, on a backing file system that can.
@Suite(.enabled(if: Process.effectiveUserID == 0)) struct PassthroughTests {
    @Test func aCreatedFileIsWrittenAndReadWithoutARequest() throws {
        let mounted = try MountedHome()
        #expect(mounted.passthroughRefusal == nil)
        let path = mounted.documents + "/a"
        let file = open(path, O_CREAT | O_RDWR, 0o644)
        defer { close(file) }
        #expect(pwrite(file, "abc", 3, 0) == 3)
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(pread(file, &bytes, 4, 0) == 3)
        #expect(bytes == Array("abc\0".utf8))
        #expect(try contents(of: mounted.container + "/Documents/a") == "abc")
        #expect(mounted.requests[Operation.write] == nil)
        #expect(mounted.requests[Operation.read] == nil)
    }
}

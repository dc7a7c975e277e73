import Glibc
import SystemPackage
import TestKit
import Testing

@Suite struct WritingTests {
    @Test func appendingCanBeSwitchedOffAndOnForAnOpenFile() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/log"
        let file = open(path, O_CREAT | O_WRONLY | O_APPEND, 0o644)
        defer { close(file) }
        #expect(pwrite(file, "abc", 3, 0) == 3)
        #expect(failure { fcntl(file, F_SETFL, 0) } == nil)
        #expect(pwrite(file, "X", 1, 0) == 1)
        #expect(try contents(of: path) == "Xbc")
        #expect(failure { fcntl(file, F_SETFL, O_APPEND) } == nil)
        #expect(pwrite(file, "d", 1, 0) == 1)
        #expect(try contents(of: path) == "Xbcd")
    }

    @Test func aMappingOfAFileThatAppendsIsWrittenInPlace() throws {
        let mounted = try MountedHome()
        let path = mounted.documents + "/log"
        let file = open(path, O_CREAT | O_RDWR | O_APPEND, 0o644)
        defer { close(file) }
        #expect(Glibc.write(file, "abc", 3) == 3)
        let mapping = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        try #require(mapping != MAP_FAILED)
        mapping?.storeBytes(of: UInt8(ascii: "X"), as: UInt8.self)
        #expect(failure { msync(mapping, 4096, Int32(MS_SYNC)) } == nil)
        munmap(mapping, 4096)
        #expect(try contents(of: mounted.container + "/Documents/log") == "Xbc")
    }
}

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
}

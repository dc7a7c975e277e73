import CLinux
import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@Suite struct ReplyTests {
    @Test func aReplyThatIsDroppedAnswersEIO() throws {
        try mounted(OneFile()) { path, _ in
            let file = try Descriptor(path + "/file", flags: O_RDONLY)
            var byte: UInt8 = 0
            #expect(lx_pread(file.raw, &byte, 1, 0) == -Int64(EIO))
        }
    }

    @Test func whatTheFileSystemLeavesOutIsReadOnly() throws {
        try mounted(OneFile()) { path, _ in
            #expect(failure { mkdir(path + "/d", 0o755) } == .readOnlyFileSystem)
            #expect(failure { unlink(path + "/file") } == .readOnlyFileSystem)
        }
    }

    @Test func aSessionThatKeepsNoLocksRefusesThem() throws {
        try mounted(OneFile(), locks: .refused) { path, _ in
            let file = try Descriptor(path + "/file", flags: O_RDONLY)
            #expect(failure { flock(file.raw, LOCK_SH) } == .noLocks)
        }
        try mounted(OneFile()) { path, _ in
            let file = try Descriptor(path + "/file", flags: O_RDONLY)
            #expect(failure { flock(file.raw, LOCK_SH) } == nil)
        }
    }

    @Test func everyReferenceIsGivenBackAtTheEnd() throws {
        let fileSystem = OneFile()
        try mounted(fileSystem) { path, _ in
            for _ in 0..<100 { _ = try status(path + "/file") }
        }
        // 100 look-ups gave 100 references; the first was kept, and came back with the others.
        let given = fileSystem.forgotten.wait(timeoutSeconds: 5) { counts in
            counts.values.reduce(0, +) >= 100 ? counts : nil
        }
        #expect(given != nil)
    }
}

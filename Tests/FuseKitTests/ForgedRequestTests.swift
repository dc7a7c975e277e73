import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import FuseKit

/// Requests that name what this process never told the kernel: an ordinary user, who opened `/dev/fuse` for
/// root's daemon and kept it, has answered in its place.
@Suite struct ForgedRequestTests {
    @Test func aHandleThatIsNotOpenIsNotRead() throws {
        let fileSystem = OneFile(contents: Array("text".utf8))
        try mounted(fileSystem, transport: .classic, believesCallers: false) { path, session in
            let file = try Descriptor(path + "/file", flags: O_RDONLY)
            let connection = Connection(session: session.session, descriptor: -1, core: session.core)
            let worker = try #require(Worker())
            for (node, handle) in [(10, 2), (10, 1 << 62), (9, 1), (1 << 40, 1)] as [(UInt64, UInt64)] {
                var request = Self.read(node, handle)
                let count = request.count
                request.withUnsafeMutableBytes { bytes in
                    guard let start = bytes.baseAddress else { return }
                    connection.process(start, count: count, worker)
                }
            }
            #expect(fileSystem.heldCount.update { $0 } == 0)
            var bytes = [UInt8](repeating: 0, count: 4)
            #expect(pread(file.raw, &bytes, 4, 0) == 4 && bytes == Array("text".utf8))
        }
    }

    /// It has no handle that the kernel could have been told of.
    @Test(arguments: [true, false]) func aDirectoryIsListedWhetherItIsOpenedOrNot(_ isOpened: Bool) throws {
        let fileSystem = OneFile(opensDirectories: isOpened)
        try mounted(fileSystem, transport: .classic, believesCallers: false) { path, _ in
            let directory = try Descriptor(path, flags: O_DIRECTORY)
            #expect(try DirectoryEntries.names(in: directory).isEmpty)
        }
    }

    /// FUSE_READ as the kernel writes it (linux/fuse.h).
    private static func read(_ node: UInt64, _ handle: UInt64) -> [UInt8] {
        func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian) { Array($0) }
        }
        let header =
            bytes(UInt32(80)) + bytes(UInt32(15)) + bytes(UInt64(1) << 40) + bytes(node)
            + bytes(geteuid()) + bytes(getegid()) + bytes(UInt64(0))
        return header + bytes(handle) + bytes(UInt64(0)) + bytes(UInt32(4)) + [UInt8](repeating: 0, count: 20)
    }
}

import CLinux
import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

/// Reads by requests of what is not in memory: on the ring they wait in the kernel, and not in a thread.
@Suite struct ColdReadTests {
    private static let pieceBytes = 4096
    private static let pieceCount = 700

    @Test(arguments: [TransportChoice.auto, .classic])
    func aColdFileIsReadWholeToItsOddEnd(transport: TransportChoice) throws {
        let mounted = try MountedHome(data: .splice, transport: transport)
        let file = try coldFile(in: mounted)
        // Past the mount's page cache: each read is a request.
        let reader = try Descriptor(file.path, flags: O_RDONLY | lx_o_direct)
        for index in (0..<Self.pieceCount).shuffled() {
            #expect(try piece(index, of: reader) == file.bytes.piece(index))
        }
        #expect(try piece(Self.pieceCount, of: reader) == [9, 9, 9])
        #expect(try piece(Self.pieceCount + 1, of: reader) == [])
    }

    @Test func manyColdReadsAtOnceAreEachAnsweredWithTheirOwn() throws {
        let mounted = try MountedHome(data: .splice)
        let file = try coldFile(in: mounted)
        let rightCount = Gate(0)
        let readers = try (0..<16).map { number in
            Joined(
                try NativeThread(name: "reader") {
                    guard let reader = try? Descriptor(file.path, flags: O_RDONLY | lx_o_direct) else {
                        return
                    }
                    for index in stride(from: number, to: Self.pieceCount, by: 16) {
                        let isRight = (try? piece(index, of: reader)) == file.bytes.piece(index)
                        if isRight { rightCount.update { $0 += 1 } }
                    }
                })
        }
        for reader in readers { reader.join() }
        #expect(rightCount.update { $0 } == Self.pieceCount)
    }

    @Test func aReadThatIsPartlyInMemoryIsWhole() throws {
        let mounted = try MountedHome(data: .splice)
        let file = try coldFile(in: mounted)
        let backing = try Descriptor(mounted.container + "/Documents/cold", flags: O_RDONLY)
        _ = try piece(0, of: backing)
        let reader = try Descriptor(file.path, flags: O_RDONLY)
        #expect(try reader.readAll() == file.bytes.all)
    }

    /// A file that no page of is in memory.
    private func coldFile(in mounted: borrowing MountedHome) throws -> (path: String, bytes: Pieces) {
        let backing = mounted.container + "/Documents/cold"
        let bytes = Pieces(count: Self.pieceCount, pieceBytes: Self.pieceBytes)
        let file = try Descriptor(backing, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o644)
        try file.writeAll(bytes.all)
        try valueOrErrno(lx_fsync(file.raw, 0))
        // Pages that another CPU has in hand stay when the kernel is asked to let go of all.
        let isCold = eventually {
            var byte: UInt8 = 0
            return posix_fadvise(file.raw, 0, 0, POSIX_FADV_DONTNEED) == 0
                && lx_pread_nowait(file.raw, &byte, 1, 0) == -Int64(EAGAIN)
        }
        #expect(isCold)
        return (mounted.documents + "/cold", bytes)
    }

    private func piece(_ index: Int, of file: borrowing Descriptor) throws -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.pieceBytes, alignment: Self.pieceBytes)
        defer { buffer.deallocate() }
        let count = lx_pread(
            file.raw, buffer.baseAddress, UInt64(buffer.count), Int64(index * Self.pieceBytes))
        return Array(buffer[..<Int(try valueOrErrno(count))])
    }
}

/// Pieces that differ from each other, and three bytes more.
private struct Pieces: Sendable {
    let all: [UInt8]
    private let pieceBytes: Int

    init(count: Int, pieceBytes: Int) {
        all = (0..<count).flatMap { [UInt8](repeating: UInt8($0 % 251), count: pieceBytes) } + [9, 9, 9]
        self.pieceBytes = pieceBytes
    }

    func piece(_ index: Int) -> [UInt8] { Array(all[(index * pieceBytes)..<((index + 1) * pieceBytes)]) }
}

import FuseKit
import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

/// Reads that are answered later, by a thread that serves no requests.
@Suite struct LaterReplyTests {
    private static let contents = (0..<(3 << 20) + 17).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 7) }
    private static var transports: [TransportChoice] {
        RingSupport.current == .offered ? [.ring, .classic] : [.classic]
    }

    @Test(arguments: transports)
    func whatAnotherThreadAnswersReachesItsCaller(transport: TransportChoice) throws {
        try mounted(OneFile(contents: Self.contents), transport: transport) { path, session in
            #expect(session.transport?.kind == (transport == .ring ? .ring : .classic))
            let failures = Gate(0)
            let readers = try (0..<8).map { index in
                try callers {
                    if read(path + "/file", from: index * 1000) != nil { failures.update { $0 += 1 } }
                }
            }
            for reader in readers { reader.join() }
            #expect(failures.update { $0 } == 0)
        }
    }

    @Test(arguments: transports)
    func aSessionDoesNotEndBeforeItsLastAnswer(transport: TransportChoice) throws {
        let fileSystem = OneFile(contents: Self.contents)
        fileSystem.mayRead.update { $0 = false }
        let isEnded = Gate(false)
        var ender: Joined?
        try mounted(fileSystem, transport: transport) { path, session in
            let reader = try callers { #expect(read(path + "/file", from: 0) == .connectionAbort) }
            #expect(fileSystem.heldCount.wait(timeoutSeconds: 10) { $0 == 1 ? true : nil } == true)
            umount2(path, Int32(MNT_FORCE))
            reader.join()
            umount2(path, Int32(MNT_DETACH))
            ender = try callers {
                session.waitUntilEnded()
                isEnded.update { $0 = true }
            }
            #expect(isEnded.wait(timeoutSeconds: 0.3) { $0 ? true : nil } == nil)
            fileSystem.mayRead.update { $0 = true }
            ender?.join()
        }
        #expect(isEnded.update { $0 })
    }

    private func callers(_ body: @escaping @Sendable () -> Void) throws -> Joined {
        Joined(try NativeThread(name: "caller", body))
    }
}

/// Reads to the end of the file, and compares.
/// - Returns: the error of read(2), EIO for other bytes; nil where all is as it should be.
private func read(_ path: String, from start: Int) -> Errno? {
    let file = open(path, O_RDONLY)
    defer { close(file) }
    var (offset, buffer) = (start, [UInt8](repeating: 0, count: 300_000))
    while true {
        let count = pread(file, &buffer, buffer.count, off_t(offset))
        if count < 0 { return Errno(rawValue: errno) }
        if count == 0 { return offset == LaterReplyTests.count ? nil : .ioError }
        guard buffer[..<count].elementsEqual(LaterReplyTests.slice(offset, count)) else { return .ioError }
        offset += count
    }
}

extension LaterReplyTests {
    fileprivate static var count: Int { contents.count }
    fileprivate static func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8> {
        contents[offset..<min(contents.count, offset + count)]
    }
}

import CLinux
import Posix
import SystemPackage
import Testing

@testable import FuseKit

/// A ring that the kernel refuses while the mount goes wants more readers when all of them have ended.
@Suite struct RefusedRingTests {
    @Test func noReaderRunsWhereTheSessionHasEnded() throws {
        let options = SessionOptions(believesCallers: true)
        let core = SessionCore(fileSystem: OneFile(), options: options)
        let transport = core.transport
        var kernel = try Line()
        let session = try Session(fileSystem: OneFile(), device: try kernel.end.duplicate(), options: options)
        let connection = Connection(
            session: session.session, descriptor: kernel.end.raw, core: core)
        try transport.start(connection)
        kernel.hangUp()
        #expect(transport.waitUntilEnded(timeoutSeconds: 10))
        // From here on no session is left. One stands in for it, on a line where a reader would stay.
        var open = try Line()
        let late = try Session(fileSystem: OneFile(), device: try open.end.duplicate(), options: options)
        transport.ringWasRefused(.invalidArgument)
        // Or the refusal had looked for the connection before.
        transport.addReaders(Connection(session: late.session, descriptor: open.end.raw, core: core))
        #expect(transport.waitUntilEnded(timeoutSeconds: 0))
        open.hangUp()
        #expect(transport.waitUntilEnded(timeoutSeconds: 10))
        #expect(session.waitUntilEnded(timeoutSeconds: 10) && late.waitUntilEnded(timeoutSeconds: 10))
    }
}

/// What stands in for `/dev/fuse`, on which nothing comes until the other side hangs up.
private struct Line: ~Copyable {
    let end: Descriptor
    private var other: Descriptor?

    init() throws(Errno) {
        var ends: [Int32] = [-1, -1]
        try valueOrErrno(lx_pipe(&ends))
        end = Descriptor(owning: ends[0])
        other = Descriptor(owning: ends[1])
    }

    mutating func hangUp() { other = nil }
}

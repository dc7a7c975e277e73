import Glibc
import Posix
import SystemPackage
import TestKit
import Testing

@testable import Wire

/// Two ends of a connection: one as the daemon has it, one raw, to say anything on it.
private struct Wire: ~Copyable {
    let channel: Channel
    let raw: SharedDescriptor

    init(limits: FrameLimits = FrameLimits(bodyBytes: 1000, descriptors: 2, frameSeconds: 0.2)) throws {
        let pair = try UnixSocket.pair()
        (channel, raw) = pair.split { (Channel($0, limits: limits), SharedDescriptor($1)) }
    }

    func write(_ bytes: [UInt8]) throws { try raw.descriptor.writeAll(bytes) }
}

@Suite struct ChannelTests {
    @Test func aRequestAndItsDescriptorsArrive() throws {
        let wire = try Wire()
        let other = Channel(try wire.raw.descriptor.duplicate(), limits: .request)
        let file = SharedDescriptor(try Descriptor("/dev/null", flags: 0))
        try other.send(Request.shareGet(app: "a", name: "b", newName: "c", replaces: false), [file])
        let (request, descriptors) = try wire.channel.receive(Request.self)
        #expect(request == .shareGet(app: "a", name: "b", newName: "c", replaces: false))
        #expect(descriptors.count == 1)
    }

    @Test func bytesThatAreNoMessageAreMalformed() throws {
        for body in ["x", "{}", "{\"nothing\":{}}", "[[[[[[", "{\"info\":{\"app\":3}}", "\u{0}\u{0}"] {
            let wire = try Wire()
            try wire.write(Frame(body: Array(body.utf8)).encoded)
            #expect(throws: Channel.Failure.malformed("not a message of this protocol")) {
                try wire.channel.receive(Request.self)
            }
        }
    }

    @Test func deeplyNestedJSONIsRefusedAndNotFollowed() throws {
        let wire = try Wire(limits: FrameLimits(bodyBytes: 1 << 20, descriptors: 1, frameSeconds: 5))
        let depth = 100_000
        let frame = Frame(body: Array(repeating: UInt8(ascii: "["), count: depth))
        let writer = try NativeThread(name: "writer") { [raw = wire.raw] in
            try? raw.descriptor.writeAll(frame.encoded)
        }
        writer.detach()
        #expect(throws: Channel.Failure.self) { try wire.channel.receive(Request.self) }
    }

    @Test func aFrameThatStopsHalfWayTimesOut() throws {
        let wire = try Wire()
        try wire.write([0, 0, 0, 9, 1, 2])
        #expect(throws: Channel.Failure.timedOut) { try wire.channel.receive() }
    }

    @Test func aClientThatSaysNothingTimesOutWhereALimitIsSet() throws {
        let wire = try Wire()
        #expect(throws: Channel.Failure.timedOut) { try wire.channel.receive(idleSeconds: 0.05) }
    }

    @Test func aClientThatGoesInsideAFrameHasClosed() throws {
        let pair = try UnixSocket.pair()
        let channel = try pair.split { ours, theirs in
            try theirs.writeAll([0, 0, 0, 9, 1])
            return Channel(ours, limits: .request)
        }
        #expect(throws: Channel.Failure.closed) { try channel.receive() }
    }

    @Test func aReaderThatNeverReadsDoesNotHoldTheSender() throws {
        let wire = try Wire()
        let large = Frame(body: [UInt8](repeating: 7, count: 4 << 20))
        #expect(throws: Channel.Failure.timedOut) { try wire.channel.send(large) }
    }

    @Test func tooManyDescriptorsAreRefusedAndNoneIsLeft() throws {
        let wire = try Wire()
        let file = try MarkedFile()
        let other = Channel(try wire.raw.descriptor.duplicate(), limits: .request)
        for count in [3, 100] {
            try other.send(Frame(body: [1, 2], descriptors: Array(repeating: file.descriptor, count: count)))
            #expect(throws: Channel.Failure.malformed("more descriptors than a message has")) {
                try wire.channel.receive()
            }
        }
        #expect(file.openCount == 1)
    }
}

/// A file of its own, whose descriptors in this process can be told from those of other tests.
private struct MarkedFile: ~Copyable {
    let descriptor: SharedDescriptor
    private let path: String

    init() throws {
        path = temporaryParent + "/apphome-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        descriptor = SharedDescriptor(try Descriptor(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600))
    }

    deinit { unlink(path) }

    /// How many of this process's descriptors are on the file.
    var openCount: Int {
        (0..<Int32(1024)).count { number in
            var target = [CChar](repeating: 0, count: 256)
            guard readlink("/proc/self/fd/\(number)", &target, 255) > 0 else { return false }
            return String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
                == path
        }
    }
}

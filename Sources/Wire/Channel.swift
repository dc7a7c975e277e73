internal import CLinux
internal import FoundationEssentials
public import Posix
public import SystemPackage

/// One end of a connection: sends and receives frames, and never waits for ever on a frame begun.
public final class Channel {
    public enum Failure: Error, Equatable {
        /// The other side is gone.
        case closed
        /// The other side did not finish, or take, a frame in time.
        case timedOut
        case malformed(String)
        case system(Errno)
    }

    private let socket: Descriptor
    private let limits: FrameLimits
    private var assembler: FrameAssembler

    public init(_ socket: consuming Descriptor, limits: FrameLimits) {
        self.socket = socket
        self.limits = limits
        assembler = FrameAssembler(limits: limits)
    }

    /// What to wait for beside other things: readable when a frame begins or the other side hangs up.
    public var raw: Int32 { socket.raw }

    /// Who is at the other end.
    public func peer() throws(Errno) -> UnixSocket.Peer { try UnixSocket.peer(of: socket) }

    /// The connection, for who goes on with it when this end is no more: nothing of what was received so far
    /// may be left to be read.
    public func handOver() throws(Errno) -> Descriptor { try socket.duplicate() }

    /// Nothing more is sent: the other side sees an end there, and may still answer.
    public func endSending() { _ = lx_shutdown_sending(socket.raw) }

    /// The next frame.
    /// - Parameter idleSeconds: how long the other side may take to begin one; nil: as long as it likes.
    public func receive(idleSeconds: Double? = nil) throws(Failure) -> Frame {
        var deadline = idleSeconds.map(Deadline.init(seconds:))
        var isFirst = true
        while true {
            try wait(writable: false, until: deadline)
            if let frame = try takeWhatIsThere() { return frame }
            if isFirst, assembler.isInsideFrame {
                deadline = Deadline(seconds: limits.frameSeconds)
                isFirst = false
            }
        }
    }

    public func send(_ frame: Frame) throws(Failure) {
        let deadline = Deadline(seconds: limits.frameSeconds)
        var rest = frame.encoded[...]
        var passed = frame.descriptors.map(\.raw)
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                lx_send(socket.raw, $0.baseAddress, UInt64($0.count), passed, UInt32(passed.count))
            }
            if sent > 0 {
                rest = rest.dropFirst(Int(sent))
                passed = []
            } else {
                try checkRetryable(Errno(rawValue: Int32(-sent)))
                try wait(writable: true, until: deadline)
            }
        }
    }

    private func wait(writable: Bool, until deadline: Deadline?) throws(Failure) {
        do {
            let ready = try Waiting.wait(for: [socket.raw], writable: writable, until: deadline)
            if !ready[0], deadline?.hasPassed == true { throw Failure.timedOut }
        } catch {
            throw error as? Failure ?? .system(error as? Errno ?? .ioError)
        }
    }

    private func takeWhatIsThere() throws(Failure) -> Frame? {
        var chunk = [UInt8](repeating: 0, count: min(assembler.wantedBytes, 64 << 10))
        var passed = [Int32](repeating: -1, count: limits.descriptors + 1)
        var count: UInt32 = 0
        let got = lx_receive(
            socket.raw, &chunk, UInt64(chunk.count), &passed, UInt32(limits.descriptors), &count)
        if got == 0 { throw .closed }
        if got < 0 {
            try checkRetryable(Errno(rawValue: Int32(-got)))
            return nil
        }
        let owned = passed.prefix(min(Int(count), limits.descriptors)).map {
            SharedDescriptor(Descriptor(owning: $0))
        }
        if count > limits.descriptors { throw .malformed("more descriptors than a message has") }
        do {
            return try assembler.take(chunk[..<Int(got)], owned)
        } catch {
            throw .malformed("\(error)")
        }
    }

    private func checkRetryable(_ errno: Errno) throws(Failure) {
        switch errno {
        case .interrupted, .resourceTemporarilyUnavailable, .wouldBlock: return
        case .brokenPipe, .connectionReset: throw .closed
        default: throw .system(errno)
        }
    }
}

extension Channel {
    public func send(_ message: some Encodable, _ descriptors: [SharedDescriptor] = []) throws(Failure) {
        try send(try Frame(message, descriptors))
    }

    public func receive<Message: Decodable>(
        _ type: Message.Type, idleSeconds: Double? = nil
    ) throws(Failure) -> (Message, [SharedDescriptor]) {
        let frame = try receive(idleSeconds: idleSeconds)
        return (try frame.decode(type), frame.descriptors)
    }
}

extension Frame {
    /// The same bytes for the same message, always.
    public init(_ message: some Encodable, _ descriptors: [SharedDescriptor] = []) throws(Channel.Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(message) else { throw .malformed("cannot encode") }
        self.init(body: Array(body), descriptors: descriptors)
    }

    public func decode<Message: Decodable>(_ type: Message.Type) throws(Channel.Failure) -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw .malformed("not a message of this protocol")
        }
    }
}

extension Channel.Failure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .closed: "the daemon ended before it answered; its run/daemon.log says why"
        case .timedOut: "the daemon does not answer; its run/daemon.log may say why"
        case .malformed(let what): "the daemon's answer is not understood (\(what))"
        case .system(let errno): "the connection to the daemon failed: \(errno)"
        }
    }
}

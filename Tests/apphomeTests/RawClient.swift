import CLinux
import Glibc
import Posix
import SystemPackage

@testable import Wire

/// A client that says what it likes to a device's daemon.
final class RawClient {
    private var channel: Channel?
    /// - Parameter user: whom the daemon sees; nil: this process's own.
    init(device: String, user: UInt32? = nil) throws {
        let channel = try Self.channel(device, user)
        try channel.send(Hello())
        _ = try channel.receive(Hello.self, idleSeconds: 10)
        self.channel = channel
    }

    /// A connection on which nothing has been said.
    static func channel(_ device: String, _ user: UInt32? = nil) throws -> Channel {
        let path = device + "/run"
        let socket = try onThread(of: user) {
            let run = try Descriptor(path, flags: O_DIRECTORY)
            return SharedDescriptor(try UnixSocket.connect(in: run, name: "daemon.sock"))
        }
        return Channel(try socket.descriptor.duplicate(), limits: .reply)
    }

    /// Sends a request, and waits for no answer.
    func tell(_ request: Request, _ descriptors: [SharedDescriptor] = []) throws {
        try channel?.send(request, descriptors)
    }

    func ask(_ request: Request, _ descriptors: [SharedDescriptor] = []) throws -> Answer {
        guard let channel else { throw Errno.brokenPipe }
        try channel.send(request, descriptors)
        return try channel.receive(Answer.self, idleSeconds: 10).0
    }

    /// What it is told next.
    func next() throws -> Answer {
        guard let channel else { throw Errno.brokenPipe }
        return try channel.receive(Answer.self, idleSeconds: 10).0
    }

    func hangUp() { channel = nil }
}

/// Answers on a device's socket as its owner's daemon would, with what it is given.
final class StandIn: Sendable {
    private let listener: SharedDescriptor
    private let answer: @Sendable (Request) -> Answer
    private let asked = Gate(0)
    private let modes = Gate<[UInt32]>([])

    init(device: String, owner: UInt32, answer: @escaping @Sendable (Request) -> Answer) throws {
        let path = device + "/run"
        self.answer = answer
        listener = try onThread(of: owner) {
            _ = lx_mkdirat(lx_at_fdcwd, path, 0o700)
            let run = try Descriptor(path, flags: O_DIRECTORY)
            return SharedDescriptor(try UnixSocket.listen(in: run, name: "daemon.sock"))
        }
        let thread = try NativeThread(name: "stand-in") { [self] in acceptAll() }
        thread.detach()
    }

    /// Type and permissions of the descriptors that came with them.
    var handedModes: [UInt32] { modes.update { $0 } }

    /// How many requests came.
    var count: Int { asked.update { $0 } }

    /// Ends with the test process; nobody connects any more by then.
    private func acceptAll() {
        while (try? Waiting.wait(for: [listener.raw])) != nil {
            guard let socket = try? UnixSocket.accept(from: listener.descriptor) else { continue }
            let connection = SharedDescriptor(socket)
            do {
                let thread = try NativeThread(name: "stand-in") { [self] in try? serve(connection) }
                thread.detach()
            } catch { return }
        }
    }

    private func serve(_ connection: SharedDescriptor) throws {
        let channel = Channel(try connection.descriptor.duplicate(), limits: .request)
        try channel.send(try channel.receive(Hello.self, idleSeconds: 10).0)
        while true {
            let (request, descriptors) = try channel.receive(Request.self, idleSeconds: 10)
            let modes = try descriptors.map { try ItemStamp(of: $0.raw).mode }
            self.modes.update { $0 += modes }
            asked.update { $0 += 1 }
            try channel.send(answer(request))
        }
    }
}

/// Runs `body` on a thread of its own that is that user's; nil: on this one.
func onThread(
    of user: UInt32?, _ body: @escaping @Sendable () throws -> SharedDescriptor
) throws -> SharedDescriptor {
    guard let user else { return try body() }
    let outcome = Gate<Result<SharedDescriptor, any Error>>(.failure(Errno.notPermitted))
    let thread = try NativeThread(name: "user") {
        guard lx_thread_become_for_good(user, user, [user], 1) == 0 else { return }
        outcome.update { $0 = Result { try body() } }
    }
    thread.join()
    return try outcome.update { $0 }.get()
}

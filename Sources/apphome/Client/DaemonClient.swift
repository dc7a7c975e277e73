internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// A command's connection to its device's daemon.
final class DaemonClient {
    let location: DeviceLocation
    /// Whose the device is.
    let owner: Owner
    /// What the daemon said of itself.
    let hello: Hello
    private let channel: Channel
    /// What is shown of long work.
    var progress = ProgressMeter.Mode.automatic
    /// Of work that can be interrupted, from its first on.
    private var interrupt: Interrupt?

    /// How long a daemon may take to start, and to say hello.
    private static let startSeconds = 10.0

    private init(location: DeviceLocation, owner: Owner, hello: Hello, channel: Channel) {
        self.location = location
        self.owner = owner
        self.hello = hello
        self.channel = channel
    }

    /// Connects to the device's daemon, which is started where there is none.
    ///
    /// Where this is root and the daemon an ordinary user's own, this process becomes that user for good:
    /// what such a daemon answers leads nobody's rights astray but its own user's.
    /// - Parameters:
    ///   - toOtherProtocols: also to a daemon of another protocol, for the requests that never change.
    ///   - makesDevice: whether a device that is not there is made.
    ///   - asRoot: refuses another user's daemon: what comes needs root's rights.
    ///   - ownerID: refuses another user's device; nil: whosever it is.
    static func connect(
        to location: DeviceLocation, toOtherProtocols: Bool = false, makesDevice: Bool = false,
        asRoot: Bool = false, ownedBy ownerID: UInt32? = nil
    ) throws -> DaemonClient {
        let device = try DeviceAccess(opening: location, makesDevice: makesDevice)
        guard ownerID == nil || ownerID == device.folder.owner.uid else {
            throw CommandFailure("the device \(location.path) has changed its owner meanwhile: try again")
        }
        let deadline = Deadline(seconds: startSeconds)
        while true {
            switch try device.greet(asRoot: asRoot) {
            case .client(let client):
                guard toOtherProtocols || client.hello.isSame(as: Hello()) else {
                    throw client.hello.refusal(of: Hello(), device: location.path)
                }
                return client
            case .full:
                guard !deadline.hasPassed else { throw CommandFailure.daemonIsFull(location) }
                usleep(100_000)
            case .nobody:
                guard !deadline.hasPassed else {
                    throw CommandFailure(
                        "the daemon of \(location.path) does not start; its run/daemon.log says why")
                }
                try device.startDaemon(within: deadline)
            }
        }
    }

    /// Connects to a daemon that is there already.
    /// - Parameter ownerID: whose the device has to be; nil: whosever it is.
    /// - Returns: nil where the device has none, or is none, or another user's.
    static func connectIfRunning(
        to location: DeviceLocation, ownedBy ownerID: UInt32? = nil
    ) throws -> DaemonClient? {
        guard access(location.path + "/run/daemon.sock", F_OK) == 0 else { return nil }
        let device = try DeviceAccess(opening: location)
        guard ownerID == nil || ownerID == device.folder.owner.uid else { return nil }
        switch try device.greet(asRoot: false) {
        case .client(let client): return client
        case .full: throw CommandFailure.daemonIsFull(location)
        case .nobody: return nil
        }
    }

    /// Connects as the app whose program this is.
    /// - Parameter socket: of `run`; absolute.
    static func connect(toApp socket: String) throws -> DaemonClient {
        guard socket.isAbsolutePath, let name = socket.pathParts.last else {
            throw CommandFailure("\(socket) is no path of a socket")
        }
        let folder = String(socket.dropLast(name.count))
        do {
            let directory = try Descriptor(folder, flags: lx_o_path | O_DIRECTORY)
            let channel = Channel(try UnixSocket.connect(in: directory, name: name), limits: .reply)
            do { try channel.send(Hello()) } catch Channel.Failure.closed {}
            let (hello, _) = try channel.receive(Hello.self, idleSeconds: startSeconds)
            let location = try DeviceLocation(folder)
            if hello.isFull == true { throw CommandFailure.daemonIsFull(location) }
            return DaemonClient(location: location, owner: .current, hello: hello, channel: channel)
        } catch let errno as Errno {
            throw CommandFailure("cannot reach AppHome as the app, by \(socket): \(errno)")
        }
    }

    fileprivate enum Greeting {
        case client(DaemonClient)
        /// It serves as many clients as it can.
        case full
        /// None listens, or it was ending when we came.
        case nobody
    }

    fileprivate static func greet(
        _ socket: consuming Descriptor, _ device: DeviceAccess
    ) throws -> Greeting {
        let channel = Channel(socket, limits: .reply)
        do {
            // One that is full says so and hangs up, perhaps before it is greeted.
            do { try channel.send(Hello()) } catch Channel.Failure.closed {}
            let (hello, _) = try channel.receive(Hello.self, idleSeconds: startSeconds)
            if hello.isFull == true { return .full }
            return .client(
                DaemonClient(
                    location: device.location, owner: device.folder.owner, hello: hello, channel: channel))
        } catch Channel.Failure.closed {
            return .nobody
        }
    }

    /// Asks, and waits for the last answer. Work that tells how far it is can be interrupted: the daemon
    /// undoes what is half done, and its answer says what was kept.
    /// - Throws: the daemon's failure, as what the person is told; with exit status 130 after an interrupt.
    func ask<Reply>(_ call: Call<Reply>) throws -> Reply {
        let reply: Reply?
        // Before anything is asked: from then on an interrupt is an answer's matter.
        if call.stream == .progress, interrupt == nil { interrupt = try Interrupt() }
        try endIfInterrupted()
        if let interrupt, call.stream == .progress {
            try channel.send(call.request, call.descriptors)
            do {
                reply = try lastReply(to: call) {
                    try interrupt.wait(for: channel)
                    return true
                }
            } catch let failure as CommandFailure where interrupt.hasCome {
                throw CommandFailure(failure.message, exitStatus: Interrupt.exitStatus)
            }
        } else {
            try channel.send(call.request, call.descriptors)
            reply = try lastReply(to: call, isComing: { true })
        }
        guard let reply else { throw CommandFailure.unexpectedReply }
        return reply
    }

    /// To be called where this command goes on without its daemon: an interrupt ends it at once from now on.
    /// - Throws: where one came before.
    func leaveInterrupts() throws {
        try endIfInterrupted()
        interrupt?.letThrough()
    }

    /// What came before may have ended well all the same.
    private func endIfInterrupted() throws {
        guard let interrupt, interrupt.hasCome else { return }
        throw CommandFailure(
            "interrupted: what came before is done, and the rest was not begun",
            exitStatus: Interrupt.exitStatus)
    }

    /// Asks, and waits for the last answer or for a signal.
    /// - Returns: nil where a signal came; this connection is then of no more use.
    func ask<Reply>(_ call: Call<Reply>, orInterrupt signals: borrowing Signals) throws -> Reply? {
        try channel.send(call.request, call.descriptors)
        let signals = signals.raw
        return try lastReply(to: call) { try Waiting.wait(for: [channel.raw, signals])[0] }
    }

    /// Asks, and writes to standard output what comes out of a pipe, until the last answer comes.
    /// - Parameter pipe: whose other end the call hands over: all is in it before that answer is sent.
    /// - Throws: also what write(2) answers.
    func ask<Reply>(_ call: Call<Reply>, passingOn pipe: Int32) throws -> Reply {
        try channel.send(call.request, call.descriptors)
        let channel = channel.raw
        let reply = try lastReply(to: call) {
            while try Waiting.wait(for: [pipe, channel])[0] { try passOn(pipe) }
            return true
        }
        guard let reply else { throw CommandFailure.unexpectedReply }
        return reply
    }

    private func passOn(_ pipe: Int32) throws(Errno) {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = try retrying { lx_read(pipe, &bytes, UInt64(bytes.count)) }
        try StandardOutput.write(bytes[..<Int(count)])
    }

    /// Shows progress, where the call has any, until the last answer comes.
    /// - Parameter isComing: asked before each answer; false ends it with nil.
    private func lastReply<Reply>(to call: Call<Reply>, isComing: () throws -> Bool) throws -> Reply? {
        let meter = call.stream == .progress ? ProgressMeter(progress) : nil
        defer { meter?.end() }
        while try isComing() {
            switch try channel.receive(Answer.self, idleSeconds: call.deadlineSeconds).0 {
            case .failure(let failure): throw failure
            case .progress(let progress): meter?.show(progress)
            case let answer:
                guard let reply = call.reply(answer) else { throw CommandFailure.unexpectedReply }
                return reply
            }
        }
        return nil
    }

    /// Asks for a stream of events, and gives each to `body`, until the daemon ends.
    func follow<Event>(_ call: Call<Event>, _ body: (Event) -> Void) throws {
        try channel.send(call.request, call.descriptors)
        while true {
            do {
                let answer = try channel.receive(Answer.self).0
                if case .failure(let failure) = answer { throw failure }
                if let event = call.reply(answer) { body(event) }
            } catch Channel.Failure.closed {
                return
            }
        }
    }
}

/// The device folder as the client sees it: opened with the client's own rights.
final class DeviceAccess {
    let location: DeviceLocation
    let directory: SharedDescriptor
    let folder: RunFolder

    /// Opens the device's folder.
    /// - Parameter makesDevice: whether one that is missing is made; only a few commands do.
    /// - Throws: where there is none, with the name of the likely one.
    init(opening location: DeviceLocation, makesDevice: Bool = false) throws {
        guard makesDevice || !location.isMissing else { throw location.missing }
        self.location = location
        do {
            directory = SharedDescriptor(try location.openFolder(makes: makesDevice))
        } catch let errno as Errno {
            throw CommandFailure("cannot use the device \(location.path): \(errno)")
        }
        try refuseForeignFolder(directory, location.path)
        do throws(Errno) {
            let owner = try DeviceFolder.owner(of: directory.descriptor)
            folder = try RunFolder(device: directory.raw, owner: owner)
        } catch {
            throw CommandFailure(
                "cannot use the device \(location.path): \(error); it belongs to another user or is damaged")
        }
    }

    /// Connects and exchanges hellos.
    fileprivate func greet(asRoot: Bool) throws -> DaemonClient.Greeting {
        guard let socket = try connect() else { return .nobody }
        try beware(of: try UnixSocket.peer(of: socket), asRoot: asRoot)
        return try DaemonClient.greet(socket, self)
    }

    /// Whoever may change the device's folder can listen there, and answer what he likes.
    private func beware(of daemon: UnixSocket.Peer, asRoot: Bool) throws {
        guard Process.effectiveUserID == 0, daemon.userID != 0 else { return }
        guard !asRoot, daemon.userID == folder.owner.uid else {
            throw CommandFailure(
                "a daemon of user \(daemon.userID) serves \(location.path), and root does not leave this to"
                    + " it: unmount as that user what it serves, and try again")
        }
        try UserRights(userID: folder.owner.uid, groupID: folder.owner.gid).becomeProcess()
    }

    /// - Returns: nil where nobody listens.
    private func connect() throws -> Descriptor? {
        do {
            return try folder.connect()
        } catch .noSuchFileOrDirectory, .connectionRefused {
            return nil
        } catch {
            throw CommandFailure("cannot reach the daemon of \(location.path): \(error)")
        }
    }

    /// Starts a daemon and waits until it serves, or found that another one does.
    func startDaemon(within deadline: Deadline) throws {
        let log = try folder.openLog()
        try DaemonProcess.start(
            location, account: try? location.defaultAccount, directory: directory.raw, log: log.raw,
            within: deadline)
    }
}

/// Nothing is put into a folder that is neither empty nor a device.
private func refuseForeignFolder(_ directory: SharedDescriptor, _ path: String) throws {
    guard let names = try? DirectoryEntries.names(in: directory.raw), !names.isEmpty else { return }
    // Looked at after the listing: another command may be making the device meanwhile, and `run` comes first.
    guard
        faccessat(directory.raw, "run", F_OK, 0) == 0
            || faccessat(directory.raw, "catalogue.sqlite", F_OK, 0) == 0
    else {
        throw CommandFailure("\(path) holds other files and is no device: name a new or empty folder")
    }
}

extension CommandFailure {
    fileprivate static func daemonIsFull(_ location: DeviceLocation) -> CommandFailure {
        CommandFailure(
            "the daemon of \(location.path) serves as many commands at once as it can; end one that waits,"
                + " or try again")
    }
}

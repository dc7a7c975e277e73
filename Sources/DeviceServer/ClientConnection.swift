internal import Device
internal import FoundationEssentials
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// One client's connection, on a thread of its own: hello, then requests, each answered before the next.
final class ClientConnection: Sendable {
    let daemon: Daemon
    /// Used by this connection's thread alone.
    nonisolated(unsafe) let channel: Channel
    let peer: UnixSocket.Peer

    /// How long a client may take for its hello.
    private static let helloSeconds = 10.0

    init(daemon: Daemon, channel: Channel, peer: UnixSocket.Peer) {
        self.daemon = daemon
        self.channel = channel
        self.peer = peer
    }

    func serve() {
        var pending: PendingMount?
        defer { pending.map { daemon.mounts.abandon($0) } }
        var run: BegunRun?
        defer { run.map { daemon.runs.abandon($0) } }
        do {
            let (client, _) = try channel.receive(Hello.self, idleSeconds: Self.helloSeconds)
            let ours = daemon.hello
            try channel.send(ours)
            while true {
                // A program runs as long as it likes.
                let idleSeconds = run == nil ? daemon.idleSeconds : nil
                let (request, descriptors) = try channel.receive(Request.self, idleSeconds: idleSeconds)
                guard client.isSame(as: ours) || request.neverChanges else {
                    try channel.send(Answer.failure(ours.refusal(of: client, device: daemon.devicePath)))
                    continue
                }
                guard descriptors.count == request.descriptorCount else {
                    try channel.send(Answer.failure(.descriptorsMissing))
                    continue
                }
                if let reply = daemon.runs.perform(request, &run, from: peer) {
                    try channel.send(reply)
                } else {
                    try answer(request, descriptors, &pending)
                }
            }
        } catch Channel.Failure.malformed(let what) {
            daemon.log.write("client \(peer.processID) was cut off: \(what)")
            try? channel.send(Answer.failure(CommandFailure("the daemon does not understand the request")))
        } catch {
            // The client is gone, or does not go on: either way the connection ends.
        }
    }

    private func answer(
        _ request: Request, _ descriptors: [SharedDescriptor], _ pending: inout PendingMount?
    ) throws(Channel.Failure) {
        if case .watch(let app, let since) = request { return try watch(app: app, sinceSeconds: since) }
        if case .awaitEnd(let directory) = request { return try awaitEnd(directory) }
        if case .cloud(.settle(let directory, let seconds)) = request {
            return try waitForUploads(at: directory, seconds: seconds)
        }
        if case .cloud(.cat(let app, let path, let version)) = request {
            return try writeContents(of: path, version: version, app: app, to: descriptors[0])
        }
        if case .backup(let request) = request { return try backUp(request, descriptors) }
        let reply: Answer
        do {
            reply = try daemon.perform(request, descriptors, &pending, from: peer) {
                [channel] (progress) throws(Errno) in
                do { try channel.send(Answer.progress(progress)) } catch { throw Errno.canceled }
            }
        } catch {
            reply = .failure(CommandFailure(answering: error))
        }
        try channel.send(reply)
    }

    /// Sends events as they come, until the client goes.
    private func watch(app: String?, sinceSeconds: Double?) throws(Channel.Failure) {
        let bundleID: String?
        let wakeUp: WakeUp
        do {
            bundleID = try app.map { try daemon.device.app(named: $0).bundleID.value }
            wakeUp = try WakeUp()
        } catch {
            return try channel.send(Answer.failure(CommandFailure(answering: error)))
        }
        daemon.events.start(wakeUp)
        defer { daemon.events.stop(wakeUp) }
        var last = sinceSeconds == nil ? daemon.events.newestSequence : 0
        try channel.send(Answer.note(lines: []))
        while true {
            for event in daemon.events.events(after: last) {
                last = event.sequence
                guard bundleID == nil || event.app == bundleID, event.time >= sinceSeconds ?? 0 else {
                    continue
                }
                try channel.send(Answer.event(event))
            }
            // A watching client says nothing more: readable means that it is gone.
            guard let ready = try? Waiting.wait(for: [wakeUp.raw, channel.raw]), !ready[1] else { return }
            wakeUp.clear()
        }
    }

    /// Lets a mounted home's uploads finish, and tells how far they are; ends when the client goes.
    private func waitForUploads(at directory: String, seconds: Double?) throws(Channel.Failure) {
        let deadline = seconds.map(Deadline.init(seconds:))
        var last = CloudSyncReport()
        var mostBytes: Int64 = 0
        var patience = Deadline(seconds: Self.patienceSeconds)
        while true {
            let turn = Deadline(
                seconds: min(1, deadline.map { Double($0.millisecondsLeft) / 1000 } ?? 1))
            let left: CloudSyncReport
            do {
                left = try daemon.cloud.finishUploads(
                    at: directory, seconds: Double(turn.millisecondsLeft) / 1000)
            } catch {
                // Nobody knows what is up.
                let trouble = CommandFailure(answering: error).message
                return try channel.send(
                    Answer.cloud(.left(CloudSyncReport(isRescanDue: true, trouble: trouble))))
            }
            let isNearer = left.trouble == nil || left.files < last.files || left.bytes < last.bytes
            if isNearer { patience = Deadline(seconds: Self.patienceSeconds) }
            last = left
            mostBytes = max(mostBytes, left.bytes)
            guard left.isUploadLeft, !left.isPaused, deadline?.hasPassed != true, !patience.hasPassed else {
                return try channel.send(Answer.cloud(.left(left)))
            }
            try channel.send(
                Answer.progress(Progress(bytesDone: mostBytes - left.bytes, totalBytes: mostBytes)))
            // Nothing may be to be done just now. And this client says nothing more before the answer:
            // readable means that it is gone.
            if let ready = try? Waiting.wait(for: [channel.raw], until: turn), ready[0] { return }
        }
    }

    /// So long uploads are waited for that are in trouble and get no nearer.
    private static let patienceSeconds = 30.0

    /// Answers when the mount has ended; returns at once when the client goes before.
    private func awaitEnd(_ directory: String) throws(Channel.Failure) {
        guard let wakeUp = try? WakeUp() else { throw .system(.tooManyOpenFiles) }
        daemon.mounts.registry.start(wakeUp)
        defer { daemon.mounts.registry.stop(wakeUp) }
        guard let mount = daemon.mounts.registry.mount(at: directory) else {
            return try channel.send(Answer.done)
        }
        while daemon.mounts.registry.mount(mount.id) != nil {
            guard let ready = try? Waiting.wait(for: [wakeUp.raw, channel.raw]), !ready[1] else { return }
            wakeUp.clear()
        }
        try channel.send(Answer.done)
    }
}

extension Daemon {
    /// What the daemon says of itself.
    var hello: Hello {
        Hello(deviceID: device.id, processID: Process.id, mounts: mounts.registry.all.map(\.directory))
    }
}

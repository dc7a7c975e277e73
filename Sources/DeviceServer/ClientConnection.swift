internal import Device
internal import FoundationEssentials
internal import HomeTree
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
    /// The identifier of the app that the client is, and as which alone it is served; nil: it is the owner's.
    let app: String?
    let undoListing = UndoListing()
    let heldSnapshots = HeldSnapshots()

    /// How long a client may take for its hello.
    private static let helloSeconds = 10.0

    init(daemon: Daemon, channel: Channel, peer: UnixSocket.Peer, app: String? = nil) {
        self.daemon = daemon
        self.app = app
        self.channel = channel
        self.peer = peer
    }

    func serve() {
        var pending: PendingMount?
        defer { pending.map { daemon.mounts.abandon($0) } }
        var run: BegunRun?
        defer { run.map { abandon($0) } }
        do {
            let (client, _) = try channel.receive(Hello.self, idleSeconds: Self.helloSeconds)
            let ours = app == nil ? daemon.hello : daemon.helloToPrograms
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
                if let reply = try answer(request, descriptors, &pending, &run) { try channel.send(reply) }
            }
        } catch Channel.Failure.malformed(let what) {
            // An app could fill the disk with it.
            if app == nil { daemon.log.write("client \(peer.processID) was cut off: \(what)") }
            try? channel.send(Answer.failure(CommandFailure("the daemon does not understand the request")))
        } catch {
            // The client is gone, or does not go on: either way the connection ends.
        }
    }

    /// - Returns: the last answer; nil where the client went meanwhile.
    private func answer(
        _ request: Request, _ descriptors: [SharedDescriptor], _ pending: inout PendingMount?,
        _ run: inout BegunRun?
    ) throws(Channel.Failure) -> Answer? {
        do {
            if let app { return try perform(request, asApp: app) }
            guard request.usesReserve else { return try perform(request, descriptors, &pending, &run) }
            return try daemon.device.reserve.whileLent {
                try perform(request, descriptors, &pending, &run)
            }
        } catch let failure as Channel.Failure {
            throw failure
        } catch {
            return .failure(CommandFailure(answering: error))
        }
    }

    /// Tells the client how far its work is.
    /// - Throws: `canceled` where it is gone, or wants the work no more: it ends its side then, and waits for
    ///   the answer.
    func report(_ progress: Progress) throws(Errno) {
        // It says nothing more before the answer.
        if try Waiting.wait(for: [channel.raw], until: Deadline(seconds: 0))[0] { throw .canceled }
        do { try channel.send(Answer.progress(progress)) } catch { throw .canceled }
    }

    /// What happened to an app after an event.
    func events(of name: String, after sequence: UInt64) throws -> Answer {
        let app = try daemon.device.app(named: name)
        daemon.views.shownTree(of: app)?.waitForEvents(timeoutSeconds: Self.searchSeconds)
        let events = daemon.events.events(of: app.bundleID.value, after: sequence)
        return .events(events, isCut: daemon.events.hasLost(after: sequence))
    }

    /// So long what has happened is waited for: directories may have to be read where names were missed, and
    /// a flag is lost once nobody has set it again.
    private static let searchSeconds = 5.0

    /// Hands the connection over to who fans events out: this thread and this client's place are free again.
    /// - Throws: `closed` once that is done: there is no more to be read or answered here.
    func watch(app: String?, sinceSeconds: Double?) throws -> Answer? {
        let bundleID = try app.map { try daemon.device.app(named: $0).bundleID.value }
        let start =
            sinceSeconds.map { daemon.events.position(of: bundleID, since: $0) }
            ?? daemon.events.position(of: bundleID)
        guard daemon.fanOut.admit(try channel.handOver(), app: bundleID, at: start) else {
            throw CommandFailure(
                "\(EventFanOut.mostWatchers) programs watch this device, and more cannot: end some of them"
                    + " (apphome watch), then try again")
        }
        throw Channel.Failure.closed
    }

    /// A part of what is remembered of findings.
    func findings(of name: String?, after id: Int64?) throws -> Answer {
        let apps = try identifiers(of: name)
        if id == nil { try waitForEvents(of: name) }
        return .findings(daemon.findings.page(of: apps, after: id))
    }

    /// Forgets what is remembered of findings.
    func clearFindings(of name: String?) throws -> Answer {
        let apps = try identifiers(of: name)
        try waitForEvents(of: name)
        return .cleared(count: try daemon.findings.clear(of: apps))
    }

    /// Of what happened a moment ago not all is known yet.
    private func waitForEvents(of name: String?) throws {
        for tree in daemon.views.shownTrees(of: try name.map { try daemon.device.app(named: $0) }) {
            tree.waitForEvents(timeoutSeconds: Self.searchSeconds)
        }
    }

    /// The identifiers of an app and its groups; nil for nil.
    private func identifiers(of name: String?) throws -> [String]? {
        guard let name else { return nil }
        let app = try daemon.device.app(named: name)
        return [app.bundleID.value] + app.groups.map(\.value)
    }

    /// Lets a mounted home's uploads finish, and tells how far they are; ends when the client goes.
    func waitForUploads(at directory: String, seconds: Double?) throws(Channel.Failure) -> Answer? {
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
                return .cloud(.left(CloudSyncReport(isRescanDue: true, trouble: trouble)))
            }
            let isNearer = left.trouble == nil || left.changes < last.changes || left.bytes < last.bytes
            if isNearer { patience = Deadline(seconds: Self.patienceSeconds) }
            last = left
            mostBytes = max(mostBytes, left.bytes)
            guard left.isUploadLeft, !left.isPaused, deadline?.hasPassed != true, !patience.hasPassed else {
                return .cloud(.left(left))
            }
            try channel.send(
                Answer.progress(Progress(bytesDone: mostBytes - left.bytes, totalBytes: mostBytes)))
            // Nothing may be to be done just now. And this client says nothing more before the answer:
            // readable means that it is gone.
            if let ready = try? Waiting.wait(for: [channel.raw], until: turn), ready[0] { return nil }
        }
    }

    /// So long uploads are waited for that are in trouble and get no nearer.
    private static let patienceSeconds = 30.0

    /// Does what a program asks that runs as an app: of its own key-value store, and nothing else.
    private func perform(_ request: Request, asApp bundleID: String) throws -> Answer? {
        let app = try daemon.device.app(named: bundleID)
        let names = [bundleID, app.name].map { $0.lowercased() }
        guard case .keyValues(var request) = request, names.contains(request.app.lowercased()) else {
            throw CommandFailure("a program of \(app.name) reaches its own key-value store, and nothing else")
        }
        request.app = bundleID
        return try perform(request)
    }

    private func abandon(_ run: BegunRun) {
        daemon.appSockets.end(run.bundleID, in: run.views)
        daemon.runs.abandon(run)
    }

    /// Begins a run, whose programs reach the daemon by a socket of their app's.
    func begin(_ arguments: RunArguments, _ run: inout BegunRun?) throws -> Answer {
        let grant = try daemon.runs.begin(arguments, &run, peer)
        guard let begun = run else { return .run(grant) }
        do {
            try daemon.appSockets.begin(begun.bundleID, in: begun.views) { [daemon] in
                daemon.admit($0, asApp: begun.bundleID)
            }
        } catch {
            _ = try daemon.runs.end(&run)
            throw error
        }
        return .run(grant)
    }

    func end(_ run: inout BegunRun?) throws -> Answer {
        if let run { daemon.appSockets.end(run.bundleID, in: run.views) }
        return .runEnded(unmounts: try daemon.runs.end(&run))
    }

    /// Does what a client asks of an app's key-value store.
    /// - Returns: nil where it watched, and is gone.
    func perform(_ request: KeyValueRequest) throws -> Answer? {
        guard request.action == .watch else { return try daemon.keyValues.perform(request) }
        let watcher = try daemon.keyValues.watch(request.app)
        defer { daemon.keyValues.stop(watcher) }
        try channel.send(Answer.watching(knownSince: nil))
        while try !Waiting.wait(for: [watcher.wakeUp.raw, channel.raw])[1] {
            for change in watcher.take() { try channel.send(Answer.keyValueChange(change)) }
        }
        return nil
    }

    /// Answers when the mount has ended; returns at once when the client goes before.
    func awaitEnd(_ directory: String) throws(Channel.Failure) -> Answer? {
        guard let wakeUp = try? WakeUp() else { throw .system(.tooManyOpenFiles) }
        daemon.mounts.registry.start(wakeUp)
        defer { daemon.mounts.registry.stop(wakeUp) }
        guard let mount = daemon.mounts.registry.mount(at: directory) else { return .done }
        while daemon.mounts.registry.mount(mount.id) != nil {
            guard let ready = try? Waiting.wait(for: [wakeUp.raw, channel.raw]), !ready[1] else { return nil }
            wakeUp.clear()
        }
        return .done
    }
}

extension Daemon {
    /// What the daemon says of itself.
    var hello: Hello {
        Hello(deviceID: device.id, processID: Process.id, mounts: mounts.registry.all.map(\.directory))
    }

    /// To programs that run as apps: no other's homes are named.
    var helloToPrograms: Hello { Hello(deviceID: device.id, processID: Process.id, mounts: []) }
}

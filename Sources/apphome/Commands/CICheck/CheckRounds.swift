internal import Doctor
internal import Glibc
internal import Posix
internal import Wire

/// The runs of a check's command, one after the other, as long as they succeed.
struct CheckRounds {
    /// What happens between two runs.
    enum Change {
        /// What the system may delete goes.
        case purge
        /// The same app comes with new containers, and without what the system may delete.
        case upgrade(CheckedApp)
    }

    let run: AppRun
    /// Of the last run; no other follows one that failed.
    private(set) var status: Int32 = 0
    /// What the app looked for after a purge, and did not make again.
    private(set) var missed: [Finding] = []

    init(run: AppRun) { self.run = run }

    /// Whether a person, or a build's service, has ended the command.
    var isInterrupted: Bool { [SIGHUP, SIGINT, SIGTERM].map { 128 + $0 }.contains(status) }

    mutating func first() throws { try runOnce("the command") }

    mutating func again(_ change: Change) throws {
        guard status == 0 else { return }
        // As long as this is connected the daemon remembers what it took.
        let client: DaemonClient
        let what: String
        switch change {
        case .purge: what = "after a purge"
        case .upgrade(let app):
            what = "after an upgrade"
            _ = try app.install(on: run.location)
        }
        client = try DaemonClient.connect(to: run.location)
        let reports = try client.ask(.purge(PurgeArguments(app: run.app)))
        let bytes = reports.reduce(Int64(0)) { $0.addingSaturated($1.freedBytes) }
        printError("apphome: \(what), which freed \(byteCount(bytes)), the command runs again")
        try runOnce("the command, \(what),")
        withExtendedLifetime(client) {}
    }

    private mutating func runOnce(_ what: String) throws {
        var found: [Finding] = []
        status = try run.status { stage in found = try Self.missed(in: stage) }
        // What comes now ends this command, and the device goes all the same.
        RunningChild.letSignalsThrough()
        missed += found
        printError("apphome: \(what) exited with \(status)")
    }

    private static func missed(in stage: AppStage) throws -> [Finding] {
        let (events, isCut) = try stage.events()
        if isCut { printError("apphome: note: more happened than is kept: not all is known that it missed") }
        return events.filter { event in
            guard event.event == "purged-missed", let path = event.path else { return false }
            return access("\(stage.home)/\(path)", F_OK) != 0
        }.map { event in
            let who = event.program ?? "a program"
            return Finding(
                .purgedMissed, event.path ?? "", "taken by the purge, looked for by \(who), missing still",
                program: event.program)
        }
    }
}

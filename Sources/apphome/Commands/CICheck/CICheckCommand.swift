internal import ArgumentParser
internal import Doctor
internal import FuseKit
internal import Glibc
internal import Posix
internal import Wire

/// `apphome ci-check APP|--from-plist FILE -- COMMAND…`
struct CICheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ci-check",
        abstract: "Runs a project's tests as the app on a new device, and says what breaks on a real one.",
        discussion: """
            The device has this one app and no account, and goes with the command. The app is a bundle or an \
            archive of one, or is made of an Info.plist. The command runs as by apphome run: in the app's \
            home, with the system read-only, and of your files only what --bind names; it starts in your \
            working directory where that is bound. Then the home is looked through as by apphome doctor. \
            Linux programs are run: build before, for Linux, with what your tests need.

            Exits as the command does where that is not 0; else 3 with findings at --fail-on or above; 125 \
            where it cannot be run, for want of /dev/fuse or of user namespaces. Root runs it as the user \
            whose folder is bound first, or whose working directory it is.
            """,
        examples: [
            "apphome ci-check --from-plist Info.plist --bind . -- .build/debug/AppTests",
            "apphome ci-check Notes.app --bind .:rw --purge-and-again -- ./run-tests",
            "apphome ci-check Notes.app --max-backup 20M --fail-on warning -- ./Tests",
        ])

    @Argument(
        help: ArgumentHelp("The app: a bundle, or an archive of it.", valueName: "path.app|path.ipa"),
        completion: .file(extensions: ["app", "ipa"]))
    var app: String?
    @Argument(parsing: .postTerminator, help: "The command and its arguments, after --.")
    var command: [String] = []
    @Option(help: ArgumentHelp("Make the app of this Info.plist instead.", valueName: "file"))
    var fromPlist: String?
    @Option(name: .customLong("id"), help: "With --from-plist: the app's identifier.")
    var identifier: String?
    @Option(
        name: .customLong("group"), help: "With --from-plist: an app group it belongs to; may be given again."
    )
    var groups: [String] = []
    @Option(help: "A property list of entitlements; else those of the bundle's signature count.")
    var entitlements: String?
    @OptionGroup var program: ProgramOptions
    @Flag(help: "Empty Library/Caches and tmp, and run it again: what does it miss?") var purgeAndAgain =
        false
    @Flag(help: "Upgrade the app, which moves its containers, and run it again.") var upgradeAndAgain = false
    @Option(help: ArgumentHelp("How much a backup may hold: bytes, 500K, 20M.", valueName: "bytes"))
    var maxBackup: ByteAmount?
    @Option(help: ArgumentHelp("From what size a document is large: bytes, 500K, 2M.", valueName: "bytes"))
    var large: ByteAmount?
    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard (app == nil) != (fromPlist == nil) else {
            throw ValidationError("say which app: the path of a bundle, or --from-plist FILE")
        }
        if fromPlist == nil, identifier != nil || !groups.isEmpty {
            throw ValidationError("--id and --group go with --from-plist")
        }
        if fromPlist != nil, entitlements != nil {
            throw ValidationError("--entitlements goes with a bundle; for --from-plist there is --group")
        }
        if command.isEmpty { throw ValidationError("say what to run, after --") }
    }

    func run() throws {
        let status: Int32
        do { status = try check() } catch let failure as CommandFailure where failure.exitStatus == 64 {
            throw failure
        } catch {
            // Not to be taken for the command's own.
            throw CommandFailure(CommandFailure(describing: error).message, exitStatus: 125)
        }
        throw ExitCode(status)
    }

    private func check() throws -> Int32 {
        try becomeOrdinaryUser()
        let reporter = try report.reporter()
        let bubblewrap = try Bubblewrap(hasNetwork: program.network)
        let source = try CheckedApp(self)
        let device = try TemporaryDevice()
        // However this goes on: its folder goes, and nothing of it is left behind.
        let outcome = Result { try check(source, on: device.location, bubblewrap, reporter) }
        do { try device.remove() } catch {
            printError("apphome: note: " + printable(CommandFailure(describing: error).message))
        }
        return try outcome.get()
    }

    private func check(
        _ source: CheckedApp, on location: DeviceLocation, _ bubblewrap: Bubblewrap, _ reporter: Reporter
    ) throws -> Int32 {
        // As long as this is connected there is one daemon for all of it.
        let client = try DaemonClient.connect(to: location, makesDevice: true)
        defer { withExtendedLifetime(client) {} }
        let bundleID = try source.install(on: location)
        var program = program
        if program.cwd == nil { program.cwd = try startDirectory() }
        var run = AppRun(app: bundleID, command: command, options: program, location: location)
        run.bubblewrap = bubblewrap
        run.noSync = true
        var rounds = CheckRounds(run: run)
        try rounds.first()
        if purgeAndAgain { try rounds.again(.purge) }
        if upgradeAndAgain { try rounds.again(.upgrade(source)) }
        if rounds.isInterrupted { return rounds.status }
        var options = Examination.Options(downloads: false)
        if let large { options.largeBytes = UInt64(clamping: large.bytes) }
        var findings = try DoctorRun(of: bundleID, at: location, options).report()
        for finding in rounds.missed { findings.found.add(finding) }
        try measure(bundleID, on: location, &findings.found)
        let hasFindings = try reporter.report([findings])
        if rounds.status != 0 { return rounds.status }
        return hasFindings ? ReportOptions.findingsStatus : 0
    }

    /// Root's rights are no app's. Whose the checkout is may run what is in it.
    private func becomeOrdinaryUser() throws {
        guard Process.effectiveUserID == 0 else { return }
        let folder = program.bind.first?.path ?? "."
        let owner = try ItemStamp(of: try Descriptor(folder, flags: O_DIRECTORY))
        guard owner.uid != 0 else {
            throw CommandFailure(
                "root's rights are no app's, and \(folder) is root's: run this as an ordinary user, or give"
                    + " the checkout to one, as whom it runs then: chown -R USER \(shellQuoted(folder))")
        }
        try DeviceLocation.become(Owner(uid: owner.uid, gid: owner.gid), of: "folder \(folder)")
    }

    /// The working directory, where the command sees that; nil: it starts in the bundle, as apps do.
    private func startDirectory() throws -> String? {
        let working = try MountPoint.resolve(".")
        let isBound = try program.bind.contains { working.isPath(in: try MountPoint.resolve($0.path)) }
        return isBound ? working : nil
    }

    /// What a backup would hold.
    private func measure(
        _ bundleID: String, on location: DeviceLocation, _ found: inout FindingList
    ) throws {
        let client = try DaemonClient.connect(to: location)
        client.progress = .never
        let measure = try client.ask(.measureBackup(of: [bundleID]))
        let held = "\(byteCount(measure.bytes)) in \(counted(measure.files, "file"))"
        printError("apphome: a backup would hold \(held)")
        guard let maxBackup, measure.bytes > maxBackup.bytes else { return }
        let most = measure.largest.first
        let path = most.map { $0.owner == bundleID ? $0.path : "\($0.owner)/\($0.path)" }
        let largest = most.map { ": \(byteCount($0.bytes)) of them are this file's" } ?? ""
        found.add(.backupSize, path ?? "", "\(held), more than \(byteCount(maxBackup.bytes))\(largest)")
    }
}

internal import ArgumentParser
internal import CLinux
internal import FuseKit
internal import Glibc
internal import Posix
internal import SandboxRules
internal import SystemPackage
internal import Wire

/// `apphome run APP -- COMMAND…`
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Runs a program as the app: it sees the system, its app, and nothing else.",
        discussion: """
            The home is at the device's path, and HOME; the program starts in the bundle. It has no network, \
            a /tmp of its own, and no other file of yours but in folders that --bind names. Of your \
            variables it has those of the terminal, the locale and the time zone, and PATH. Its exit status \
            is the command's; 125: it could not be started; 124: its time was over. Root runs it as the user \
            whose device it is.

            --for says how the program asks for its directories: foundation (Swift and others), dotnet \
            (.NET 8 and later), mono (Mono, .NET before 8), gnustep (Objective-C), flutter. Mono and .NET \
            are seen without it. GNUstep's programs keep their defaults by their own name, which apphome \
            defaults finds, and read no Info.plist in binary form.

            With --network it shares this machine's network: it reaches what listens here for local programs \
            only, and the sockets that have no file, where the display (X11) or D-Bus may listen.
            """,
        examples: [
            "apphome run Notes -- bash",
            "apphome run Notes --cwd home -- ls -la",
            "apphome run Notes",
            "apphome run Notes --for gnustep --network -- ./Notes",
            "apphome run Notes --report --timeout 60 -- ./tests",
            "apphome run Notes --env CI --env LOG=all -- ./Notes",
            "apphome run Notes --bind ~/project:rw --cwd ~/project -- ./run-tests",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(
        parsing: .postTerminator,
        help: "The program and its arguments, after --; without: the bundle's executable.")
    var command: [String] = []
    @OptionGroup var program: ProgramOptions
    @Flag(help: "Without a sandbox, where none can be made.") var unconfined = false
    @Flag(help: "Keep Documents on this device, where this command mounts the home.") var noSync = false
    @Flag(help: "Print at the end what broke a rule of a device, and what is left outside of the home.")
    var report = false
    @OptionGroup var device: DeviceOptions

    func run() throws {
        let status: Int32
        do {
            status = try runProgram()
        } catch {
            // Not to be taken for the program's own.
            throw CommandFailure(CommandFailure(describing: error).message, exitStatus: 125)
        }
        throw ExitCode(status)
    }

    private func runProgram() throws -> Int32 {
        let location = try becomeOwner()
        let remedy = "or use: apphome run --unconfined"
        let bubblewrap = unconfined ? nil : try Bubblewrap(hasNetwork: program.network, remedy: remedy)
        var run = AppRun(app: app, command: command, options: program, location: location)
        run.bubblewrap = bubblewrap
        run.noSync = noSync
        return try run.status { stage in
            guard report else { return }
            let (events, isCut) = try stage.events()
            RunReport.print(events, isCut: isCut, knowsOutside: stage.knowsOutside)
        }
    }

    /// Makes this process the user whose device it is: from here on nothing is done with root's rights, but
    /// without a sandbox on root's own device.
    /// - Returns: the device, as that user's.
    private func becomeOwner() throws -> DeviceLocation {
        let location = try device.location()
        guard !location.isMissing else { throw location.missing }
        let isRoot = Process.effectiveUserID == 0
        let own = try location.asOwner()
        if isRoot, unconfined, Process.effectiveUserID != 0 {
            throw CommandFailure(
                "root runs nothing of another user's without a sandbox: become user"
                    + " \(Process.effectiveUserID) first, with su or sudo -u")
        }
        if Process.effectiveUserID == 0, !unconfined {
            throw CommandFailure(
                "root's rights are no app's, and the device \(location.path) is root's: make"
                    + " one for an ordinary user (sudo -u USER apphome device create NAME), or use:"
                    + " apphome run --unconfined")
        }
        return own
    }
}

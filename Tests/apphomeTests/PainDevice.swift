import Foundation
import Testing

/// A device on which programs run that have a mistake, or have it not.
struct PainDevice: ~Copyable {
    /// What came of a pain's program and commands.
    struct Result {
        /// What the commands printed, as README.md has it.
        var printed = ""
        /// The codes that `doctor` has, with the paths that they are found at.
        var codes: [String: [String]] = [:]
        /// What the program said at last, if anybody wants to know.
        var outcome = ""
    }

    private let work: Workplace
    private let programs: PainPrograms

    init() throws {
        let work = try Workplace()
        let programs = try PainPrograms()
        _ = try work.ordinaryUser()
        let keeper = PainShell(folder: work.path, device: work.device, app: "Keeper")
        // While it is mounted the daemon goes on.
        let mount = "apphome mount Notes keeper --no-sync"
        for line in ["apphome new Notes", "apphome cloud account none", mount] {
            _ = try keeper.run(line, mayFail: false)
        }
        self.programs = programs
        self.work = work
    }

    /// Runs a pain's program in an app of its own, and its commands.
    /// - Parameter number: the row's.
    func run(_ pain: Pain, number: Int, isTwin: Bool) throws -> Result {
        let app = "Row\(number)-\(isTwin ? "twin" : "mistake")"
        var shell = PainShell(folder: work.path, device: work.device, app: app)
        let options = isTwin ? pain.twinOptions ?? pain.options : pain.options
        let content = programs.content(pain.language)
        _ = try shell.run("apphome new Notes \(options) --content '\(content)'", mayFail: false)
        for line in pain.preparation { _ = try shell.run(line, mayFail: false) }
        let isRight = isTwin || pain.twinOptions != nil
        shell.command = pain.language.command("\(pain.name) \(isRight ? "twin" : "mistake")")
        var result = Result()
        if pain.hasStarted { _ = try shell.run(Self.start, mayFail: false) }
        for line in pain.commands {
            let isDoctor = line == Pain.doctor
            result.printed += isDoctor ? try shell.examine(&result.codes) : try shell.run(line)
        }
        if !pain.commands.contains(Pain.doctor) { _ = try shell.examine(&result.codes) }
        if pain.outcomes != nil {
            let hasRun = pain.commands.last?.contains("COMMAND") ?? false
            result.outcome = hasRun ? result.printed : try shell.run(Self.start)
        }
        return result
    }

    private static let start = "apphome run Notes -- COMMAND"
}

import Foundation
import Testing

/// Two devices of one account, on which a program runs while neither hears of the other.
struct PainPair: ~Copyable {
    private let work: Workplace
    private var devices: [String] { [work.device, work.path + "/second"] }

    init() throws {
        let work = try Workplace()
        _ = try work.ordinaryUser()
        for device in [work.device, work.path + "/second"] {
            let shell = PainShell(folder: work.path, device: device, app: "Notes")
            // It makes the device.
            for line in [
                "mkdir -p store", "apphome new Notes", "apphome cloud account set file://$PWD/store",
            ] {
                _ = try shell.run(line, mayFail: false)
            }
        }
        self.work = work
    }

    /// Runs a pain's program on the one device and, before that hears of it, on the other; then its commands
    /// there. In an app of its own.
    /// - Returns: what the commands printed.
    func run(_ pain: Pain, _ programs: borrowing PainPrograms, isTwin: Bool) throws -> String {
        let kind = isTwin ? "twin" : "mistake"
        // What was never there has to be made on one of them.
        let kinds = [pain.hasStarted ? kind : "mistake", kind]
        let shells = zip(devices, kinds).map { device, kindThere in
            PainShell(
                folder: work.path, device: device, app: "\(pain.name)-\(kind)",
                command: pain.language.command("\(pain.name) \(kindThere)"))
        }
        let content = programs.content(pain.language)
        for shell in shells { _ = try shell.run("apphome new Notes --content '\(content)'", mayFail: false) }
        if pain.hasStarted {
            _ = try shells[0].run(Self.start, mayFail: false)
            for shell in shells { _ = try shell.run(Self.sync, mayFail: false) }
        }
        for shell in shells { _ = try shell.run(Self.start, mayFail: false) }
        for shell in shells { _ = try shell.run(Self.sync, mayFail: false) }
        return try pain.commands.map { try shells[1].run($0) }.joined()
    }

    private static let start = "apphome run Notes --no-sync -- COMMAND"
    private static let sync = "apphome cloud sync Notes --wait"
}

import Foundation
import Testing

/// Two devices of one account, on which a program runs while neither hears of the other.
struct PainPair: ~Copyable {
    private let work: Workplace
    private let second: String

    init(_ programs: borrowing PainPrograms) throws {
        let content = programs.content(.swift)
        let work = try Workplace()
        let second = work.path + "/second"
        _ = try work.ordinaryUser()
        for device in [work.device, second] {
            let shell = PainShell(folder: work.path, device: device, app: "Notes")
            _ = try shell.run("mkdir -p store; apphome new Notes --content '\(content)'", mayFail: false)
            _ = try shell.run("apphome cloud account set 'file://\(work.path)/store'", mayFail: false)
        }
        self.second = second
        self.work = work
    }

    /// Runs a pain's program on the one device and, before that hears of it, on the other; then its commands
    /// there.
    /// - Returns: what the commands printed.
    func run(_ pain: Pain, isTwin: Bool) throws -> String {
        let kind = isTwin ? "twin" : "mistake"
        // What was never there has to be made on one of them.
        let kinds = [pain.hasStarted ? kind : "mistake", kind]
        let devices = zip([work.device, second], kinds).map { device, kind in
            let command = pain.language.command("\(pain.name) \(kind)")
            return PainShell(folder: work.path, device: device, app: "Notes", command: command)
        }
        if pain.hasStarted {
            _ = try devices[0].run(Self.start, mayFail: false)
            for device in devices { _ = try device.run(Self.sync, mayFail: false) }
        }
        for device in devices { _ = try device.run(Self.start, mayFail: false) }
        for device in devices { _ = try device.run(Self.sync, mayFail: false) }
        return try pain.commands.map { try devices[1].run($0) }.joined()
    }

    private static let start = "apphome run Notes --no-sync -- COMMAND"
    private static let sync = "apphome cloud sync Notes --wait"
}

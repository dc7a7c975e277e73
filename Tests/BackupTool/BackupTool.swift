import Backup
import Foundation
import Posix
import SandboxRules

/// Makes and restores backups from the shell, for measurements, for a kill at any step, and for fuzzing.
///
///     backup-tool create HOME BACKUPS SCRATCH [PASSWORD|-] [END-AT-STEP]
///     backup-tool restore BACKUP TARGET [PASSWORD|-]
///     backup-tool fuzz COUNT SEED
///     backup-tool samples DIRECTORY
@main struct BackupTool {
    static let domain = "AppDomain-org.example.recipes"
    static let identifier = "00008110-000A1B2C3D4E5F60"

    static func main() {
        #if FUZZING
            exit(fuzz())
        #else
            run(Array(CommandLine.arguments.dropFirst()))
        #endif
    }

    private static func run(_ arguments: [String]) {
        do {
            switch arguments.first {
            case "create": try create(Array(arguments.dropFirst()))
            case "restore": try restore(Array(arguments.dropFirst()))
            case "samples": try writeSamples(arguments[1])
            case "fuzz": try Mutations.run(Array(arguments.dropFirst()))
            default: throw BackupError(.refused, "usage: backup-tool create|restore|fuzz …")
            }
        } catch {
            FileHandle.standardError.write(Data("backup-tool: \(error)\n".utf8))
            exit(1)
        }
        print("peak \(peakKilobytes()) KB")
    }

    private static func create(_ arguments: [String]) throws {
        let home = SharedDescriptor(try Descriptor(arguments[0], flags: O_DIRECTORY))
        let tree = DomainTree(domain: domain, root: home, rule: .backup(.appData))
        guard let device = BackedUpDevice(identifier: identifier, name: "Tool") else { return }
        let app = BackedUpApp(bundleID: "org.example.recipes")
        var options = BackupOptions(device: device, apps: [app], password: password(arguments, 3))
        options.iterations = 1000
        let end = arguments.count > 4 ? Int(arguments[4]) : nil
        var steps = 0
        let report = try BackupWriter.run(
            options, sources: [tree], in: try Descriptor(arguments[1], flags: O_DIRECTORY),
            scratch: try Descriptor(arguments[2], flags: O_DIRECTORY),
            reached: { _ in
                steps += 1
                // As a kill: nothing of the process runs any more.
                if steps == end { kill(getpid(), SIGKILL) }
            })
        print(
            "\(report.items) items, \(report.files) files, \(report.unchangedFiles) unchanged, \(steps) steps"
        )
    }

    private static func restore(_ arguments: [String]) throws {
        let reader = try BackupReader(
            try Descriptor(arguments[0], flags: O_DIRECTORY), password: password(arguments, 2))
        let plan = try reader.plan(domain, limitBytes: .max)
        let report = try reader.restore(plan, into: try Descriptor(arguments[1], flags: O_DIRECTORY))
        print("\(report.items) items, \(report.files) files")
    }

    private static func writeSamples(_ directory: String) throws {
        for reader in HostileInput.allCases {
            let folder = URL(fileURLWithPath: "\(directory)/\(reader.rawValue)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(try reader.sample()).write(to: folder.appendingPathComponent("sound"))
        }
    }

    private static func password(_ arguments: [String], _ index: Int) -> [UInt8]? {
        guard arguments.count > index, arguments[index] != "-" else { return nil }
        return Array(arguments[index].utf8)
    }

    /// The most memory that this process had.
    private static func peakKilobytes() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }
}

internal import ArgumentParser
internal import Backup
internal import CLinux
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// `apphome backup extract BACKUP APP [PATH…] --to DEST`
struct BackupExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract", abstract: "Takes files of an app out of a backup.",
        discussion: """
            With their times, modes and extended attributes, below an empty or new folder, or as a tar \
            archive. What is damaged loses itself alone: it is named, and the exit status is 3.
            """,
        examples: [
            "apphome backup extract ~/backups org.example.notes --to notes",
            "apphome backup extract ~/backups HomeDomain Library/SMS --to messages",
            "apphome backup extract ~/backups org.example.notes --tar - | tar -t",
        ])

    @OptionGroup var chosen: BackedUpDomainOptions
    @Argument(help: "Below the app's home; all of it otherwise.") var paths: [String] = []
    @Option(name: .customLong("to"), help: ArgumentHelp("Where.", valueName: "dest"))
    var destination: String?
    @Option(
        help: ArgumentHelp(
            "Write a tar archive (PAX) with the paths of a device instead; - is standard output.",
            valueName: "file"))
    var tar: String?

    func validate() throws {
        guard (destination == nil) != (tar == nil) else {
            throw ValidationError("give --to DEST or --tar FILE")
        }
    }

    func run() throws {
        Process.keepMemoryPrivate()
        let (reader, domain) = try chosen.open()
        let paths = paths.map { $0.pathParts.joined(separator: "/") }
        var refused = RefusedNotes()
        if let tar {
            let report = try archive(domain, paths, of: reader, to: tar, &refused)
            if tar != "-" { show(report, tar) }
        } else {
            let destination = destination ?? "."
            show(try extract(domain, paths, of: reader, into: destination, &refused), destination)
        }
        try refused.end()
    }

    private func extract(
        _ domain: String, _ paths: [String], of reader: BackupReader, into destination: String,
        _ refused: inout RefusedNotes
    ) throws -> ExtractionReport {
        let target = try TargetFolder(destination, deviceOf: .current)
        guard try DirectoryEntries.names(in: target.opened.descriptor.raw).isEmpty else {
            throw CommandFailure("\(destination) is not empty: name a new folder")
        }
        do {
            return try reader.extract(domain, paths, into: target.opened.descriptor.descriptor) {
                refused.note($0.text)
            }
        } catch {
            target.removeIfMade()
            throw error
        }
    }

    private func archive(
        _ domain: String, _ paths: [String], of reader: BackupReader, to name: String,
        _ refused: inout RefusedNotes
    ) throws -> ExtractionReport {
        let file: SharedDescriptor
        do throws(Errno) {
            let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY
            file = SharedDescriptor(
                name == "-"
                    ? Descriptor(owning: try valueOrErrno(lx_dup_cloexec(STDOUT_FILENO)))
                    : try Descriptor(name, flags: flags, mode: 0o600))
        } catch {
            throw CommandFailure("cannot write \(name): \(error)")
        }
        return try withExtendedLifetime(file) {
            try reader.archive(domain, paths, to: file.raw) { refused.note($0.text) }
        }
    }

    private func show(_ report: ExtractionReport, _ place: String) {
        print("\(counted(report.files, "file")) (\(byteCount(report.bytes))) to \(printable(place))")
        guard report.leftOut.count > 0 else { return }
        let what = "\(counted(report.leftOut.count, "extended attribute")) left out"
        printError("apphome: note: \(what): \(printable(report.leftOut.first.joined(separator: ", ")))")
    }
}

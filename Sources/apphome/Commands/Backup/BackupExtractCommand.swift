internal import ArgumentParser
internal import Backup
internal import Posix
internal import Wire

/// `apphome backup extract BACKUP APP [PATH…] --to DEST`
struct BackupExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract", abstract: "Takes files of an app out of a backup.",
        discussion: """
            With their times, modes and extended attributes, below an empty or new folder. What is damaged \
            loses itself alone: it is named, and the exit status is 3.
            """,
        examples: [
            "apphome backup extract ~/backups org.example.notes --to notes",
            "apphome backup extract ~/backups HomeDomain Library/SMS --to messages",
        ])

    @OptionGroup var chosen: BackedUpDomainOptions
    @Argument(help: "Below the app's home; all of it otherwise.") var paths: [String] = []
    @Option(name: .customLong("to"), help: ArgumentHelp("Where.", valueName: "dest"))
    var destination: String

    func run() throws {
        Process.keepMemoryPrivate()
        let (reader, domain) = try chosen.open()
        let target = try TargetFolder(destination, deviceOf: .current)
        guard try DirectoryEntries.names(in: target.opened.descriptor.raw).isEmpty else {
            throw CommandFailure("\(destination) is not empty: name a new folder")
        }
        var refused = RefusedNotes()
        let report: ExtractionReport
        do {
            let paths = paths.map { $0.pathParts.joined(separator: "/") }
            report = try reader.extract(domain, paths, into: target.opened.descriptor.descriptor) {
                refused.note($0.text)
            }
        } catch {
            target.removeIfMade()
            throw error
        }
        print("\(counted(report.files, "file")) (\(byteCount(report.bytes))) to \(printable(destination))")
        if report.leftOut.count > 0 {
            let what = "\(counted(report.leftOut.count, "extended attribute")) left out"
            printError("apphome: note: \(what): \(printable(report.leftOut.first.joined(separator: ", ")))")
        }
        try refused.end()
    }
}

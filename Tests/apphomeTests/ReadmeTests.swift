import Foundation
import Testing

/// The terminal sessions of README.md, run as an ordinary user, with what each command prints.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ReadmeTests {
    /// What a reader has, or does, before a command of a section; not shown there.
    private static let preparations: [(section: String, before: String, script: String)] = [
        (
            "The Files app and the whole device", "apphome device root",
            """
            apphome unmount --all && apphome new Sketch --files
            apphome new Ledger --group group.org.example
            home="$(apphome path Notes --no-sync)/Documents" && mv "$home/letter.txt" "$home/letter"
            apphome unmount --all
            """
        ),
        (
            "Documents in the cloud", "apphome --device /tmp/phone new",
            """
            mkdir -p /srv/cloud && apphome new Notes --share && apphome cloud account set file:///srv/cloud
            echo 'Buy plums' > list.txt && apphome share put Notes list.txt && apphome cloud sync Notes --wait
            """
        ),
        ("The key-value store", "apphome kvs set", "apphome new Notes"),
        (
            "Backups", "apphome backup create",
            """
            apphome new Notes && apphome mount Notes ~/notes --no-sync
            echo 'Buy plums' > ~/notes/Documents/list.txt
            head -c 8192 /dev/zero > ~/notes/Documents/drawing
            """
        ),
        ("Backups", "apphome unmount", "echo draft > ~/notes/Library/draft"),
        (
            "Looking into a backup", "apphome backup mount",
            """
            apphome new Notes && apphome mount Notes ~/notes --no-sync
            echo 'Buy plums' > ~/notes/Documents/list.txt
            apphome unmount ~/notes && apphome backup create --to backups
            """
        ),
        (
            "What a run changed", "apphome snapshot",
            """
            apphome new Notes && apphome mount Notes ~/notes --no-sync
            echo 'Buy plums' > ~/notes/Documents/list.txt && apphome defaults write Notes volume -float 0.5
            sqlite3 ~/notes/Documents/notes.sqlite "CREATE TABLE notes (id INTEGER PRIMARY KEY, done);
                INSERT INTO notes VALUES (1, 0), (2, 0)"
            """
        ),
        (
            "Snapshots in the cloud", "apphome backup create",
            """
            apphome new Notes && apphome new Ledger && apphome mount Notes ~/notes
            for n in $(seq 303); do head -c 10000 /dev/urandom > ~/notes/Documents/$n; done
            apphome unmount ~/notes && apphome cloud sync --wait
            """
        ),
        (
            "C#, Objective-C, Swift and others", "mcs",
            """
            mkdir bundle && cat > Notes.cs <<'TEXT'
            using System;
            class Notes {
                static void Main() {
                    var documents = Environment.GetFolderPath(Environment.SpecialFolder.MyDocuments);
                    System.IO.File.WriteAllText(documents + "/Write.txt", "text");
                }
            }
            TEXT
            """
        ),
    ]

    @Test(arguments: try sections()) func everyCommandPrintsWhatIsShown(_ section: Section) throws {
        let place = try Workplace()
        _ = try place.ordinaryUser()
        let reader = Reader(place.path)
        try reader.makeFolders()
        defer { _ = try? reader.run("for d in '' '--device /tmp/phone'; do apphome unmount --all $d; done") }
        var left = Self.preparations.filter { $0.section == section.title }
        for step in section.steps {
            if let index = left.firstIndex(where: { step.command.hasPrefix($0.before) }) {
                let preparation = left.remove(at: index)
                let outcome = try reader.run(preparation.script)
                #expect(outcome.status == 0, "\(preparation.script): \(outcome)")
            }
            let outcome = try reader.run(step.command)
            guard section.isShownWhole else {
                #expect(outcome.status == 0, "\(outcome)")
                continue
            }
            #expect(
                Reader.comparable(outcome.output, step) == Reader.comparable(step.output, step),
                "$ \(step.command)")
        }
        #expect(left.map(\.before) == [], "a preparation is for no command")
    }

    /// A heading's commands, in order.
    struct Section: CustomTestStringConvertible, Sendable {
        let title: String
        var steps: [Step] = []
        var testDescription: String { title }
        /// Whether what is printed is shown, and not left out.
        var isShownWhole: Bool { !title.hasPrefix("C#") }
    }

    struct Step: Sendable {
        let command: String
        var output = ""
    }

    private static func sections() throws -> [Section] {
        var sections: [Section] = []
        var isInside = false
        let path = FileManager.default.currentDirectoryPath + "/README.md"
        for line in try String(contentsOfFile: path, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        {
            if line.hasPrefix("#") {
                sections.append(Section(title: line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)))
                isInside = false
            } else if line.hasPrefix("    $ ") {
                sections[sections.count - 1].steps.append(Step(command: String(line.dropFirst(6))))
                isInside = true
            } else if isInside, line.hasPrefix("    "), let section = sections.indices.last {
                let steps = sections[section].steps.count
                sections[section].steps[steps - 1].output += line.dropFirst(4) + "\n"
            } else {
                isInside = false
            }
        }
        return sections.filter { !$0.steps.isEmpty }
    }
}

/// An ordinary user at a terminal, in a place that stands for this machine's root.
private struct Reader {
    private let root: String
    private var home: String { root + "/home/me" }

    init(_ root: String) { self.root = root }

    func makeFolders() throws {
        for folder in ["/home", "/home/me", "/tmp", "/srv", "/srv/cloud"] {
            #expect(mkdir(root + folder, 0o755) == 0)
            if geteuid() == 0 { #expect(chown(root + folder, 1000, 1000) == 0) }
        }
        let copy = root + "/apphome"
        if !FileManager.default.fileExists(atPath: copy) {
            try FileManager.default.copyItem(atPath: program, toPath: copy)
        }
    }

    /// - Returns: what the command printed to both streams, with this place's paths as the README has them.
    func run(_ command: String) throws -> (status: Int32, output: String) {
        let script = placed(command.replacing("2026-11-22", with: today)) + "\n"
        let shell = Foundation.Process()
        let identity = ["--reuid", "1000", "--regid", "1000", "--clear-groups", "bash", "-c", script]
        shell.executableURL = URL(filePath: geteuid() == 0 ? "/usr/bin/setpriv" : "/bin/bash")
        shell.arguments = geteuid() == 0 ? identity : ["-c", script]
        shell.environment = ["HOME": home, "PATH": root + ":/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        shell.currentDirectoryURL = URL(filePath: home)
        let output = Pipe()
        (shell.standardOutput, shell.standardError) = (output, output)
        try shell.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        var text = String(decoding: data, as: UTF8.self)
        for folder in ["/home/me", "/tmp/", "/srv/"] { text = text.replacing(root + folder, with: folder) }
        return (shell.terminationStatus, text)
    }

    private func placed(_ command: String) -> String {
        var command = command
        for folder in ["/tmp/", "/srv/"] { command = command.replacing(folder, with: root + folder) }
        return command
    }

    private var today: String { String(Date().ISO8601Format().prefix(10)) }

    /// With what is another at each run in one form.
    static func comparable(_ text: String, _ step: ReadmeTests.Step) -> String {
        var text = text
        text.replace(#/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/#, with: "UUID")
        text.replace(#/00008110-[0-9A-F]{16}/#, with: "BACKUP")
        text.replace(#/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/#, with: "TIME")
        text.replace(#/[0-9.]+ kB sent/#, with: "N kB sent")
        text.replace("bash: line 1: ", with: "bash: ")
        guard step.command.hasPrefix("tree") else { return text }
        // In the order of UUIDs.
        return text.split(separator: "\n").map { $0.drop { "├─│└ \u{A0}".contains($0) } }.sorted()
            .joined(separator: "\n")
    }
}

import Foundation
import Testing

/// `apphome json-schema` describes what each command prints with `--json`.
@Suite(.serialized, .timeLimit(.minutes(5))) struct JSONSchemaTests {
    /// A command that prints JSON, by the words that its definition is named after.
    private struct Step {
        let name: String
        let words: [String]
        let status: Int32

        init(_ name: String, _ arguments: String..., status: Int32 = 0) {
            self.status = status
            self.name = name.split(separator: " ").joined(separator: "-")
            words = name.split(separator: " ").map(String.init) + arguments
        }
    }

    @Test func whatEachCommandPrintsIsAsTheSchemaSays() throws {
        let devices = try TwoDevices()
        let schema = try JSONSchema(try apphome("json-schema", in: devices.first).output)
        // The check of a build has its own device (CICheckTests).
        var covered: Set<String> = ["watch", "ci-check"]
        let home = devices.place.path + "/one"
        #expect(try apphome("mount", "Notes", home, in: devices.first).status == 0)
        try fill(devices)
        for step in stepsWhileMounted(home, devices.place.path) { try check(step, schema, devices, &covered) }
        try checkWatch(schema, devices)
        #expect(try apphome("unmount", home, in: devices.first).status == 0)
        for step in try stepsAfterwards(devices.place.path) { try check(step, schema, devices, &covered) }
        #expect(covered == (try commandsWithJSON(devices)))
    }

    /// Something of each kind that is listed: items that wait and that do not sync, a conflict, a preference.
    private func fill(_ devices: borrowing TwoDevices) throws {
        let (first, second) = (devices.first, devices.second)
        #expect(mkdir(devices.here + "/d", 0o755) == 0)
        for name in ["a", "d/b", "c.tmp"] {
            try Data([1]).write(to: URL(filePath: devices.here + "/" + name))
        }
        let set = try apphome("defaults", "write", "Notes", "one", "-float", "0.5", in: first)
        #expect(set.status == 0, "\(set)")
        #expect(try apphome("kvs", "set", "Notes", "one", "1", in: first).status == 0)
        for device in [first, second, first] {
            #expect(try apphome("cloud", "sync", "Notes", "--wait", in: device).status == 0)
        }
        #expect(try apphome("cloud", "pause", in: first).status == 0)
        try "here".write(toFile: devices.here + "/a", atomically: false, encoding: .utf8)
        let other = devices.place.path + "/two"
        #expect(try apphome("mount", "Notes", other, in: second).status == 0)
        try "there".write(toFile: devices.there + "/a", atomically: false, encoding: .utf8)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: second).status == 0)
        #expect(try apphome("unmount", other, in: second).status == 0)
        #expect(try apphome("cloud", "resume", in: first).status == 0)
        #expect(try apphome("cloud", "sync", "Notes", "--wait", in: first).status == 0)
        #expect(try apphome("cloud", "pause", in: first).status == 0)
        try Data([2]).write(to: URL(filePath: devices.here + "/waits"))
    }

    private func stepsWhileMounted(_ home: String, _ place: String) -> [Step] {
        [
            Step("list"), Step("list", "--all"), Step("info", "Notes"), Step("device list"),
            Step("device show"), Step("env", "Notes"), Step("defaults read", "Notes"),
            Step("defaults read", "Notes", "one"), Step("skip-backup get", home + "/Documents/a"),
            Step("share ls"), Step("share ls", "Notes"), Step("cloud status"), Step("cloud status", "Notes"),
            Step("cloud quota"), Step("cloud account show"), Step("cloud devices list"), Step("cloud check"),
            Step("doctor"), Step("cloud gc", "--dry-run"), Step("cloud gc"), Step("cloud ls", "Notes"),
            Step("cloud path", "Notes", status: 1), Step("cloud conflicts", "Notes"),
            Step("cloud log", "Notes"),
            Step("purge", "--dry-run"),
            Step("purge"), Step("backup create", "--dry-run"), Step("backup create", "--to", place + "/b"),
            Step("backup create", "--cloud"), Step("backup list", place + "/b"),
            Step("backup list", place + "/b", "--files", "--sha256"), Step("backup verify", place + "/b"),
            Step("backup info", place + "/b"),
            Step("backup ls", place + "/b", "local.Notes"),
            Step("snapshot", "Notes", "before"), Step("snapshot", "Notes", "--list"),
            Step("diff", "Notes", "before"),
            Step("backup list", "--cloud"), Step("kvs get", "Notes", "one"), Step("kvs list", "Notes"),
        ]
    }

    private func stepsAfterwards(_ place: String) throws -> [Step] {
        let bundles = place + "/device/Containers/Bundle/Application"
        let container = try #require(try names(bundles).first)
        return [
            Step("install", "\(bundles)/\(container)/Notes.app"), Step("new", "Other"),
            Step("backup restore", "--from", place + "/b", "Notes"), Step("reset", "Notes"),
            Step("info", "Notes"), Step("backup forget-undo", "--yes"),
            Step("uninstall", "Notes", "--dry-run"), Step("uninstall", "Notes", "--yes"),
        ]
    }

    private func check(
        _ step: Step, _ schema: JSONSchema, _ devices: borrowing TwoDevices, _ covered: inout Set<String>
    ) throws {
        let printed = try apphome(step.words + ["--json"], in: devices.first)
        #expect(printed.status == step.status, "\(step.words): \(printed)")
        let value = try JSONDecoder().decode(JSONValue.self, from: printed.outputBytes)
        if case .array(let elements) = value { #expect(!elements.isEmpty, "\(step.words) shows nothing") }
        let problems = schema.problems(of: value, as: step.name)
        #expect(problems == [], "\(step.words): \(printed.output)")
        covered.insert(step.name)
        // Of one command the document says which definition it is.
        let own = try apphome(
            ["json-schema"] + step.name.split(separator: "-").map(String.init), in: devices.first)
        #expect(own.output.hasPrefix("{\n \"$ref\": \"#/$defs/\(step.name)\",\n"), "\(own)")
    }

    private func checkWatch(_ schema: JSONSchema, _ devices: borrowing TwoDevices) throws {
        let watch = try start(["watch", "Notes", "--since", "1h", "--json"], in: devices.first)
        defer {
            kill(watch.process.processIdentifier, SIGKILL)
            watch.process.waitUntilExit()
        }
        let line = try #require(watch.output(upTo: "\n").split(separator: "\n").first)
        let event = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
        #expect(schema.problems(of: event, as: "watch") == [], "\(line)")
    }

    /// By the help of all commands.
    private func commandsWithJSON(_ devices: borrowing TwoDevices) throws -> Set<String> {
        let help = try apphome(["--experimental-dump-help"], in: devices.first)
        let root = try JSONDecoder().decode(JSONValue.self, from: help.outputBytes)["command"]
        var found: Set<String> = []
        var rest = (root?["subcommands"]?.elements ?? []).map { (words: [String](), command: $0) }
        while let (words, command) = rest.popLast() {
            let words = words + [command["commandName"]?.text ?? ""]
            rest += (command["subcommands"]?.elements ?? []).map { (words, $0) }
            let options = (command["arguments"]?.elements ?? []).flatMap { $0["names"]?.elements ?? [] }
            if options.contains(where: { $0["name"]?.text == "json" }) {
                found.insert(words.joined(separator: "-"))
            }
        }
        return found
    }

    @Test func aCommandThatPrintsNoneIsNamed() throws {
        let place = try Workplace()
        let refused = try place.run("json-schema", "mount")
        #expect(refused.status == 1 && refused.errors.contains("mount prints no JSON"), "\(refused)")
    }
}

internal import ArgumentParser
internal import Wire

/// `apphome json-schema`
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json-schema", abstract: "Prints the JSON Schema of what commands print with --json.",
        discussion: """
            Of one command, or of all: each one's output is #/$defs/COMMAND, its words joined by a hyphen. \
            Times are ISO 8601, in UTC; sizes are bytes.
            """,
        examples: ["apphome json-schema cloud status", "apphome json-schema > apphome.schema.json"])

    @Argument(help: ArgumentHelp("The words of a command; none: all.", valueName: "command"))
    var command: [String] = []

    func run() throws { print(try Self.schema(of: command), terminator: "") }

    /// - Parameter command: its words; none: the document says nothing of a value by itself.
    static func schema(of command: [String]) throws -> String {
        let text = String(decoding: PackageResources.output_schema_json, as: UTF8.self)
        guard !command.isEmpty else { return text }
        let name = command.joined(separator: "-")
        let isKnown = name.allSatisfy { "a"..."z" ~= $0 || $0 == "-" } && text.contains("\n  \"\(name)\": ")
        guard isKnown else {
            throw CommandFailure(
                "\(name) prints no JSON: see apphome \(command.joined(separator: " ")) --help")
        }
        return "{\n \"$ref\": \"#/$defs/\(name)\"," + text.dropFirst()
    }
}

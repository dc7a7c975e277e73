internal import Glibc

/// The command line, parsed.
struct Options {
    enum Command: Equatable {
        case run(String)
        case compare(control: String, mount: String)
        case list
        case exceptions
    }

    enum Identity {
        case asIs
        case root
        case user
    }

    struct Refusal: Error {
        let line: String
    }

    var command: Command
    var pattern: String?
    var identity = Identity.asIs
    var json = false
    /// Both directories are plain: no exception applies.
    var plain = false
    /// The cases run in the directories themselves.
    var isWhole = false
    /// The mount compares names as in the Simulator.
    var hasSimulatorNames = false
    var deadlineSeconds: Int32 = 60

    static let usage =
        "usage: posix-suite run DIR | compare CONTROL-DIR MOUNT-DIR | list | exceptions  "
        + "[--only PATTERN] [--as-root|--as-user] [--plain] [--whole] [--simulator] "
        + "[--deadline SECONDS] [--json]"

    /// - Throws: `Refusal` with the line to print.
    init(_ arguments: [String]) throws(Refusal) {
        var (words, rest) = ([String](), arguments[...])
        command = .list
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": json = true
            case "--plain": plain = true
            case "--whole": isWhole = true
            case "--simulator": hasSimulatorNames = true
            case "--as-root": identity = .root
            case "--as-user": identity = .user
            case "--only": pattern = try Self.value(of: argument, &rest)
            case "--deadline":
                guard let seconds = Int32(try Self.value(of: argument, &rest)), (1...3600).contains(seconds)
                else {
                    throw Refusal(line: "--deadline takes 1 to 3600 seconds")
                }
                deadlineSeconds = seconds
            case let option where option.hasPrefix("-"):
                throw Refusal(line: "unknown option \(option); \(Self.usage)")
            default: words.append(argument)
            }
        }
        command = try Self.command(words)
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Refusal) -> String {
        guard let value = rest.popFirst() else { throw Refusal(line: "\(option) lacks its value") }
        return value
    }

    private static func command(_ words: [String]) throws(Refusal) -> Command {
        switch (words.first, words.count) {
        case ("run", 2): .run(words[1])
        case ("compare", 3): .compare(control: words[1], mount: words[2])
        case ("list", 1): .list
        case ("exceptions", 1): .exceptions
        default: throw Refusal(line: usage)
        }
    }

    /// Whether a case's name has the pattern in it, or matches it where it has a `*`.
    func selects(_ name: String) -> Bool {
        guard let pattern else { return true }
        if pattern.contains("*") { return fnmatch(pattern, name, 0) == 0 }
        return name.contains(pattern)
    }
}

internal import Glibc

/// How a mount compares names.
enum NameComparison: String, CaseIterable {
    case device, simulator, legacy
}

/// Which mount it is.
enum MountedView {
    /// A home whose kernel checks mode bits.
    case home
    /// Beside the home's own: the Files app's view, or the device's tree.
    case guest
    /// A home that an ordinary user has mounted for himself: its kernel checks no mode bits.
    case own
}

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
    /// Cases that one of them selects are run; all where there is none.
    var patterns: [String] = []
    var identity = Identity.asIs
    var json = false
    /// Both directories are plain: no exception applies.
    var plain = false
    /// The cases run in the directories themselves.
    var isWhole = false
    /// How the mount compares names.
    var names = NameComparison.device
    var view = MountedView.home
    var deadlineSeconds: Int32 = 60

    static let usage =
        "usage: posix-suite run DIR | compare CONTROL-DIR MOUNT-DIR | list | exceptions  "
        + "[--only PATTERN] [--as-root|--as-user] [--plain] [--whole] [--guest|--own] "
        + "[--names device|simulator|legacy] "
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
            case "--guest": view = .guest
            case "--own": view = .own
            case "--names":
                guard let known = NameComparison(rawValue: try Self.value(of: argument, &rest)) else {
                    throw Refusal(line: "--names takes device, simulator or legacy")
                }
                names = known
            case "--as-root": identity = .root
            case "--as-user": identity = .user
            case "--only": patterns.append(try Self.value(of: argument, &rest))
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

    /// Whether a case's name has a pattern in it, or matches it where it has a `*`.
    func selects(_ name: String) -> Bool {
        patterns.isEmpty
            || patterns.contains { pattern in
                pattern.contains("*") ? fnmatch(pattern, name, 0) == 0 : name.contains(pattern)
            }
    }
}

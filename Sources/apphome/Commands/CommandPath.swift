internal import ArgumentParser
internal import Posix

/// Which command a command line is of, as far as its words lead to one: for help where it means nothing.
struct CommandPath {
    /// `apphome share get`.
    private(set) var words: [String] = []
    /// What may stand next; empty where a command is complete.
    private var choices: [String] = []
    /// A word in the place of one of those.
    private var unknown: String?

    init(_ arguments: [String], of root: any ParsableCommand.Type) {
        var command: any ParsableCommand.Type = root
        words = [command._commandName]
        for word in arguments {
            let commands: [any ParsableCommand.Type] = command.configuration.subcommands
            choices = commands.map { $0._commandName }
            if word.hasPrefix("-") || commands.isEmpty { return }
            guard let index = choices.firstIndex(of: word) else {
                unknown = command.configuration.defaultSubcommand == nil ? word : nil
                return
            }
            words.append(word)
            command = commands[index]
        }
    }

    /// The command that shows its help.
    var help: String { words.joined(separator: " ") + " --help" }

    /// What the parser says of an option that is none, without a guess that nobody can have meant: it takes
    /// the nearest option, however far that is.
    static func withoutFarGuess(_ usage: String) -> String {
        let parts = usage.parts(between: "'", keepingEmpty: true)
        guard parts.count >= 4, parts[2] == ". Did you mean ", !bare(parts[3]).isNear(to: bare(parts[1]))
        else { return usage }
        return "\(parts[0])'\(parts[1])'"
    }

    private static func bare(_ option: String) -> String { String(option.drop { $0 == "-" }) }

    /// What is said of a word that is no command; nil where each is one.
    var complaint: String? {
        guard let word = unknown else { return nil }
        let likely =
            choices.likely(for: word).map { "; did you mean \((words + [$0]).joined(separator: " "))?" }
            ?? "."
        return "there is no command \((words.dropFirst() + [word]).joined(separator: " "))\(likely)"
    }
}

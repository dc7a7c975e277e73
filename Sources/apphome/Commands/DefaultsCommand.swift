internal import ArgumentParser
internal import Posix
internal import PropertyLists
internal import Wire

/// `apphome defaults read|write|delete APP KEY …`
struct DefaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "defaults", abstract: "An app's preferences, as macOS's defaults changes them.",
        examples: ["apphome defaults write Notes firstStart -bool no", "apphome defaults read Notes"],
        subcommands: [Read.self, Write.self, Delete.self])

    struct Read: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "read",
            abstract: "Prints one preference, or all of them.",
            examples: ["apphome defaults read Notes firstStart", "apphome defaults read Notes --json"])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @Argument(help: "Which; without it: all.") var key: String?
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let value = try device.ask(.preferences(of: app, key: key))
            try output.show(value)
        }
    }

    struct Write: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "write",
            abstract: "Sets one preference; the others stay as they are.",
            discussion: """
                Types: -string -int -float -bool -date -data -array -dict; without one: -string. A date is \
                2026-11-22 or 2026-11-22T03:00:00Z, data are hexadecimal digits. Options go before APP.
                """,
            examples: [
                "apphome defaults write Notes volume -float 0.5",
                "apphome defaults write Notes recent -array list.txt -int 3",
                "apphome defaults write Notes window -dict width -int 320 title Notes",
            ])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @Argument(help: "Which.") var key: String
        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp("A type, and the value.", valueName: "[-type] value"))
        var words: [String]
        @OptionGroup var device: DeviceOptions

        func run() throws {
            if words == ["--help"] || words == ["-h"] { throw CleanExit.helpRequest(self) }
            try device.ask(.setPreference(key, of: app, to: try PreferenceValue(typed: words)))
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Removes one preference.",
            examples: ["apphome defaults delete Notes firstStart"])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @Argument(help: "Which.") var key: String
        @OptionGroup var device: DeviceOptions

        func run() throws {
            try device.ask(.deletePreference(key, of: app))
        }
    }
}

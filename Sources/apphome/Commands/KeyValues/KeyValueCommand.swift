internal import ArgumentParser
internal import Posix
internal import PropertyLists
internal import Wire

/// `apphome kvs get|set|delete|list|watch APP …`
struct KeyValueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kvs", abstract: "An app's iCloud key-value store (NSUbiquitousKeyValueStore).",
        discussion: """
            What is set is on this device at once, and on the others of the account seconds later. The last \
            one who sets a key wins. Limits: apphome device set kvs-limits ios5|current.
            """,
        examples: [
            "apphome kvs set Notes theme dark", "apphome kvs get Notes theme", "apphome kvs watch Notes",
        ],
        subcommands: [Get.self, Set.self, Delete.self, List.self, Watch.self])

    struct Get: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get",
            abstract: "Prints a key's value; never waits for the cloud.",
            examples: ["apphome kvs get Notes theme"])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @Argument(help: "Which.") var key: String
        @OptionGroup var device: AppServiceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let value = try device.ask(.keyValues(of: app, key: key))
            try output.show(value)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Prints all keys with their values.", examples: ["apphome kvs list Notes --json"])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @OptionGroup var device: AppServiceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let value = try device.ask(.keyValues(of: app, key: nil))
            try output.show(value)
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Sets a key, or with --stdin many.",
            discussion: """
                Types as for apphome defaults write: -string -int -float -bool, and with kvs-limits current \
                -date -data -array -dict; without one: -string. Options go before APP.

                With --stdin each line is KEY=VALUE, a string. What was read is set before more is read; the \
                first that cannot be set ends it, and those before it are set.
                """,
            examples: [
                "apphome kvs set Notes level -int 7", "printf 'a=1\\nb=2\\n' | apphome kvs set Notes --stdin",
            ])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @Argument(
            parsing: .captureForPassthrough,
            help: ArgumentHelp("The key, a type, and the value; or --stdin.", valueName: "key [-type] value"))
        var words: [String] = []
        @Flag(help: "Read lines KEY=VALUE.") var stdin = false
        @OptionGroup var device: AppServiceOptions

        func run() throws {
            if words == ["--help"] || words == ["-h"] { throw CleanExit.helpRequest(self) }
            if stdin || words == ["--stdin"] {
                guard words.isEmpty || words == ["--stdin"] else {
                    throw CommandFailure("--stdin comes without a key", exitStatus: 64)
                }
                return try setLines()
            }
            guard let key = words.first, words.count > 1 else {
                throw CommandFailure("name a key and its value, or say --stdin", exitStatus: 64)
            }
            let value = try PreferenceValue(typed: Array(words.dropFirst()))
            try device.ask(.setKeyValues([KeyValueItem(key: key, value: value)], of: app))
        }

        private func setLines() throws {
            var lines = InputLines()
            while let read = try lines.next() {
                let items = read.map(Self.item)
                let good = items.prefix { $0 != nil }.compactMap(\.self)
                // A connection of its own: the next line may come after an hour.
                if !good.isEmpty { try device.ask(.setKeyValues(good, of: app)) }
                guard good.count == items.count else {
                    let line = read[good.count].prefix(100)
                    throw CommandFailure("the line \"\(line)\" is not KEY=VALUE", exitStatus: 64)
                }
            }
        }

        /// - Returns: nil for a line without `=`.
        private static func item(_ line: String) -> KeyValueItem? {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            return KeyValueItem(key: String(parts[0]), value: .string(String(parts[1])))
        }
    }

    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Removes a key, on all devices.", examples: ["apphome kvs delete Notes theme"])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @Argument(help: "Which.") var key: String
        @OptionGroup var device: AppServiceOptions

        func run() throws { try device.ask(.deleteKeyValue(key, of: app)) }
    }

    struct Watch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Prints what others change, a line of JSON each, until it is ended.",
            discussion: """
                As NSUbiquitousKeyValueStoreDidChangeExternally: reason 0 another device, 1 the first sync, \
                2 devices together set more than the limits allow, 3 another account; and the keys. What is \
                set on this device is not among it.
                """,
            examples: ["apphome kvs watch Notes"])
        @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
        @OptionGroup var device: AppServiceOptions

        func run() throws {
            try device.connect().follow(.watchKeyValues(of: app)) { change in
                guard let change else { return printError("apphome: watching") }
                try? printJSON(change, onOneLine: true)
                flushOutput()
            }
        }
    }
}

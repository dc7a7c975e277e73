internal import ArgumentParser

/// `apphome device show|set`
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "The device's settings.",
        discussion: """
            EXAMPLE:
              apphome device show
              apphome device set names simulator
            """,
        subcommands: [Show.self, Set.self])

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the settings.",
            discussion: """
                EXAMPLE:
                  apphome device show --json
                """)
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let client = try device.connect()
            guard case .settings(let settings) = try client.request(.settings) else {
                throw CommandFailure.unexpectedReply
            }
            let place = [
                Setting(key: "path", value: client.location.path),
                Setting(key: "id", value: client.hello.deviceID ?? ""),
            ]
            guard output.json else {
                return printTable((place + settings).map { [$0.key, printable($0.value)] })
            }
            try printJSON(Dictionary((place + settings).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }))
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes a setting; it counts from the next mount on.",
            discussion: """
                EXAMPLE:
                  apphome device set names simulator
                """)
        @Argument(help: "Which; device show lists them.") var key: String
        @Argument(help: "The new value.") var value: String
        @OptionGroup var device: DeviceOptions

        func run() throws { _ = try device.connect().request(.set(key: key, value: value)) }
    }
}

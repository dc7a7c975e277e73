internal import ArgumentParser
internal import Wire

/// `apphome device …`
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Devices; the settings of one; the whole of it mounted.",
        examples: [
            "apphome device list",
            "apphome device create work",
            "apphome device show",
            "apphome device set names simulator",
        ],
        subcommands: [
            DeviceListCommand.self, Create.self, DeviceCloneCommand.self, DeviceRenameCommand.self,
            DeviceEraseCommand.self, DeviceDeleteCommand.self, Show.self, Set.self, DeviceLogCommand.self,
            DeviceRootCommand.self,
        ])

    struct Create: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Makes a device without apps.",
            examples: ["apphome device create work"])
        @Argument(help: ArgumentHelp("A new name, or a path with a slash in it.", valueName: "name|path"))
        var name: String

        func run() throws {
            let location = try DeviceLocation(name)
            guard location.isMissing else {
                throw CommandFailure("there is a device \(location.name) already: give another name")
            }
            _ = try DaemonClient.connect(to: location, makesDevice: true)
        }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints the settings.",
            examples: ["apphome device show --json"])
        @OptionGroup var device: DeviceOptions
        @OptionGroup var output: OutputOptions

        func run() throws {
            let client = try device.connect()
            let settings = try client.ask(.settings)
            let place = [
                Setting(key: "path", value: client.location.path),
                Setting(key: "id", value: client.hello.deviceID ?? ""),
            ]
            guard output.json else {
                return printTable((place + settings).map { [$0.key, printable($0.value)] })
            }
            try printJSON(
                Dictionary((place + settings).map { ($0.key, SettingValue($0)) }, uniquingKeysWith: { $1 }))
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set",
            abstract: "Changes a setting; it counts from the next mount on.",
            examples: ["apphome device set names simulator"])
        @Argument(help: "Which; device show lists them.") var key: String
        @Argument(help: "The new value.") var value: String
        @OptionGroup var device: DeviceOptions

        func run() throws { try device.ask(.set(key, to: value)) }
    }
}

/// A setting in JSON: numbers as numbers.
private enum SettingValue: Encodable {
    case text(String)
    case number(Int64)

    init(_ setting: Setting) {
        let isText = ["path", "id"].contains(setting.key)
        self =
            isText ? .text(setting.value) : Int64(setting.value).map { .number($0) } ?? .text(setting.value)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

internal import ArgumentParser
internal import SystemPackage
internal import Wire

/// `apphome install PATH.app|PATH.ipa`
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Installs an app, or upgrades it where its identifier is there already.",
        examples: [
            "apphome install Recipes.app",
            "apphome install Recipes.ipa --entitlements Recipes.entitlements --caches drop",
        ])

    @Argument(help: ArgumentHelp("The bundle, or an archive of it.", valueName: "path.app|path.ipa"))
    var path: String
    @Option(help: "A property list of entitlements; else those of the app's signature count.")
    var entitlements: String?
    @Option(help: "What an upgrade does with Library/Caches; a device may do either.")
    var caches = Caches.keep
    @Flag(help: "Upgrade under open mounts: they show the new app, and what is open in the data stays open.")
    var remount = false
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    enum Caches: String, ExpressibleByArgument, CaseIterable { case keep, drop }

    func run() throws {
        let paths = try device.paths()
        let source = try paths.open(path, "install")
        var arguments = InstallArguments()
        arguments.dropsCaches = caches == .drop
        arguments.remounts = remount
        if source.isDirectory {
            guard let name = FilePath(source.path).lastComponent?.string, name.hasSuffix(".app") else {
                throw CommandFailure(
                    "cannot install \(path): not an app; name a folder NAME.app or a file NAME.ipa")
            }
            arguments.bundleName = name
        }
        let entitlements = try entitlements.map { try paths.open($0, "read the entitlements").descriptor }
        let call = Call.install(source.descriptor, entitlements: entitlements, arguments)
        try paths.connect(makesDevice: true).showing(shown).ask(call).show(json: output.json)
    }
}

extension InstallReport {
    private var verb: String {
        guard isUpgrade else { return "installed" }
        guard let oldVersion, let version else { return "upgraded" }
        if oldVersion == version { return "installed again:" }
        let isNewer = Self.parts(oldVersion).lexicographicallyPrecedes(Self.parts(version))
        return isNewer ? "upgraded" : "downgraded"
    }

    private static func parts(_ version: String) -> [Int] {
        version.split(separator: ".").map { Int($0.prefix { $0.isNumber }) ?? 0 }
    }

    func show(json: Bool) throws {
        if json { return try printJSON(self) }
        let what = "\(name) \(version ?? "") (\(bundleID))".replacing("  ", with: " ")
        print(printable("\(verb) \(what)"))
        for note in notes { print(printable(note)) }
    }
}

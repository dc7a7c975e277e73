internal import ArgumentParser
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// `apphome install PATH.app|PATH.ipa`
struct InstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Installs an app, or upgrades it where its identifier is there already.",
        discussion: """
            EXAMPLE:
              apphome install Recipes.app
              apphome install Recipes.ipa --entitlements Recipes.entitlements --caches drop
            """)

    @Argument(help: ArgumentHelp("The bundle, or an archive of it.", valueName: "path.app|path.ipa"))
    var path: String
    @Option(help: "A property list of entitlements; else those of the app's signature count.")
    var entitlements: String?
    @Option(help: "What an upgrade does with Library/Caches; a device may do either.")
    var caches = Caches.keep
    @Flag(help: "Upgrade under open mounts: they show the new app, and what is open in the data stays open.")
    var remount = false
    @OptionGroup var device: DeviceOptions
    @OptionGroup var output: OutputOptions

    enum Caches: String, ExpressibleByArgument, CaseIterable { case keep, drop }

    func run() throws {
        let source = try OpenedFile(path, "install")
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
        let entitlements = try entitlements.map { try OpenedFile($0, "read the entitlements").descriptor }
        let call = Call.install(source.descriptor, entitlements: entitlements, arguments)
        try device.connect(makesDevice: true).ask(call).show(json: output.json)
    }
}

extension InstallReport {
    func show(json: Bool) throws {
        if json { return try printJSON(self) }
        let what = "\(name) \(version ?? "") (\(bundleID))".replacing("  ", with: " ")
        print(printable(isUpgrade ? "upgraded \(what)" : "installed \(what)"))
        for note in notes { print(printable(note)) }
    }
}

/// A file or directory that a person named, opened with their own rights for the daemon.
struct OpenedFile {
    /// Absolute, without links.
    let path: String
    let isDirectory: Bool
    let descriptor: SharedDescriptor

    /// - Parameter purpose: for the error: "cannot PURPOSE PATH: …".
    init(_ path: String, _ purpose: String) throws {
        do {
            // Not blocking: a fifo in the place of a file must not hold us up.
            descriptor = SharedDescriptor(try Descriptor(path, flags: O_RDONLY | O_NONBLOCK))
        } catch {
            throw CommandFailure("cannot \(purpose) \(path): \(error)")
        }
        var details = stat()
        guard fstat(descriptor.raw, &details) == 0 else {
            throw CommandFailure("cannot \(purpose) \(path): \(Errno(rawValue: errno))")
        }
        let kind = details.st_mode & S_IFMT
        guard kind == S_IFDIR || kind == S_IFREG else {
            throw CommandFailure("cannot \(purpose) \(path): neither a file nor a directory")
        }
        isDirectory = kind == S_IFDIR
        guard let resolved = realpath(path, nil) else {
            throw CommandFailure("cannot \(purpose) \(path): \(Errno(rawValue: errno))")
        }
        defer { free(resolved) }
        self.path = String(cString: resolved)
    }
}

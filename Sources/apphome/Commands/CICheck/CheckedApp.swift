internal import Glibc
internal import Posix
internal import PropertyLists
internal import SystemPackage
internal import Wire

/// The app that a check is of: a bundle, an archive, or what is made of an Info.plist.
struct CheckedApp {
    private enum Source {
        case bundle(OpenedFile, InstallArguments, entitlements: OpenedFile?)
        case propertyList(OpenedFile, NewArguments)
    }

    private let source: Source

    /// Opens what was named, before there is a device.
    /// - Throws: where it is no app, or cannot be read.
    init(_ options: CICheckCommand) throws {
        if let path = options.fromPlist {
            let list = try OpenedFile(path, "read")
            var arguments = NewArguments(name: Self.name(in: list), identifier: options.identifier)
            arguments.groups = options.groups
            arguments.replaces = true
            source = .propertyList(list, arguments)
            return
        }
        let path = options.app ?? ""
        let name = path.pathParts.last ?? ""
        guard name.hasSuffix(".app") || name.hasSuffix(".ipa") else {
            throw CommandFailure(
                "\(path) is no app: name a folder NAME.app or a file NAME.ipa, or use --from-plist FILE")
        }
        let opened = try OpenedFile(path, "install")
        var arguments = InstallArguments()
        if opened.isDirectory { arguments.bundleName = FilePath(opened.path).lastComponent?.string }
        source = .bundle(
            opened, arguments,
            entitlements: try options.entitlements.map { try OpenedFile($0, "read the entitlements") })
    }

    /// What the app is called: as its Info.plist says, if that is a name, and no build's setting.
    private static func name(in list: OpenedFile) -> String {
        guard let bytes = try? list.descriptor.descriptor.readAll(),
            let name = (try? PropertyList.dictionary(bytes))?["CFBundleName"] as? String,
            !name.isEmpty, !name.hasPrefix("."), !name.hasSlash, !name.contains("$")
        else { return "App" }
        return name
    }

    /// Installs it, or upgrades it to itself, with new containers.
    /// - Returns: its identifier.
    func install(on location: DeviceLocation) throws -> String {
        let client = try DaemonClient.connect(to: location)
        client.progress = .never
        switch source {
        case .bundle(let bundle, let arguments, let entitlements):
            try rewind(bundle, entitlements)
            return try client.ask(
                .install(bundle.descriptor, entitlements: entitlements?.descriptor, arguments)
            ).bundleID
        case .propertyList(let list, let arguments):
            try rewind(list)
            return try client.ask(.new(arguments, propertyList: list.descriptor, content: nil)).bundleID
        }
    }

    /// They may have been read by an earlier installation.
    private func rewind(_ files: OpenedFile?...) throws {
        for case let file? in files where !file.isDirectory { lseek(file.descriptor.raw, 0, SEEK_SET) }
    }
}

internal import ArgumentParser
internal import Glibc
internal import Posix
internal import SystemPackage
internal import Wire

/// `apphome cp SRC… APP:PATH` and back
struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cp", abstract: "Copies into and out of an app's home, mounted or not.",
        discussion: """
            APP:PATH is below Documents, Library or tmp. Each item is there complete or not at all. Files \
            are replaced; a folder that is there is replaced whole, with --force only.
            """,
        examples: [
            "apphome cp letter.txt Notes:Documents/",
            "apphome cp -r Fixtures Notes:Library/Caches/Fixtures",
            "apphome cp Notes:Library/Preferences/local.Notes.plist .",
            "apphome cp -r Notes:Documents ./documents",
        ])

    @Argument(
        help: ArgumentHelp(
            "What to copy, and last a folder to copy into, or the new name.", valueName: "src… dest"))
    var paths: [String]
    @Flag(name: .shortAndLong, help: "Copy folders, with everything in them.") var recursive = false
    @Flag(help: "Replace a folder.") var force = false
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions

    func validate() throws {
        if paths.count < 2 { throw ValidationError("say what to copy, and where to") }
    }

    private var sources: ArraySlice<String> { paths.dropLast() }
    private var destination: String { paths[paths.count - 1] }

    func run() throws {
        let places = sources.map(AppPath.init)
        if let target = AppPath(destination) {
            guard places.allSatisfy({ $0 == nil }) else {
                throw CommandFailure(
                    "from one app to another goes in two steps: copy out first", exitStatus: 64)
            }
            return try copyIn(to: target)
        }
        let from = places.compactMap(\.self)
        guard from.count == sources.count else {
            throw CommandFailure("one side is in an app: write it APP:PATH", exitStatus: 64)
        }
        try copyOut(from)
    }

    private func copyIn(to target: AppPath) throws {
        let client = try device.connect().showing(shown)
        for source in sources {
            let opened = try OpenedFile(source, "copy", deviceOf: client.owner)
            try refuseFolder(source, opened.isDirectory)
            guard let name = FilePath(source).lastComponent?.string else {
                throw CommandFailure("cannot copy \(source): it has no name; copy what is in it")
            }
            let isFolder = sources.count > 1 || target.path.hasSuffix("/") || target.path.isEmpty
            let arguments = CopyInArguments(
                app: target.app, name: name, path: target.path, isFolder: isFolder, replacesFolders: force)
            try client.ask(.copyIn(opened.descriptor, arguments))
        }
    }

    private func copyOut(_ items: [AppPath]) throws {
        var paths = try device.paths()
        let target = try CopyDestination(destination, paths)
        guard items.count == 1 || target.newName == nil else {
            throw CommandFailure("\(destination) is no folder, and several items are copied", exitStatus: 64)
        }
        try paths.becomeUser(of: target.folder)
        let client = try paths.connect().showing(shown)
        for item in items {
            guard let name = target.newName ?? item.path.pathParts.last else {
                throw CommandFailure("name what to copy: \(item.app):Documents, say", exitStatus: 64)
            }
            try client.ask(
                .copyOut(
                    item.path, of: item.app, to: target.folder.descriptor, as: name,
                    takesFolders: recursive, replacesFolders: force))
        }
    }

    private func refuseFolder(_ name: String, _ isFolder: Bool) throws {
        if isFolder, !recursive { throw CommandFailure("\(name) is a folder: copy it with -r") }
    }
}

/// `APP:PATH`, with a path from the home.
struct AppPath {
    let app: String
    let path: String

    /// Nil for a path of this system: it has a slash before any colon.
    init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex,
            !text[..<colon].utf8.contains(UInt8(ascii: "/"))
        else { return nil }
        app = String(text[..<colon])
        path = String(text[text.index(after: colon)...])
    }
}

/// Where a copy goes: into a folder, or next to others in one under a new name.
struct CopyDestination {
    let folder: OpenedFile
    /// Nil: the item's own.
    let newName: String?

    init(_ destination: String, _ paths: NamedPaths) throws {
        if let folder = try? paths.open(destination, "copy into"), folder.isDirectory {
            (self.folder, newName) = (folder, nil)
            return
        }
        let path = FilePath(destination)
        let parent = path.removingLastComponent()
        guard let newName = path.lastComponent?.string else {
            throw CommandFailure("cannot copy to \(destination): name a directory or a new file")
        }
        let folder = try paths.open(parent.isEmpty ? "." : parent.string, "copy into")
        guard folder.isDirectory else { throw CommandFailure("\(parent) is not a directory") }
        (self.folder, self.newName) = (folder, newName)
    }
}

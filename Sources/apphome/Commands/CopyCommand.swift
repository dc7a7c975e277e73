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
            are replaced; a folder that is there is replaced whole, with --force only. - is standard input, \
            or standard output, for one file.
            """,
        examples: [
            "apphome cp letter.txt Notes:Documents/",
            "apphome cp -r Fixtures Notes:Library/Caches/Fixtures",
            "apphome cp Notes:Library/Preferences/local.Notes.plist .",
            "apphome cp -r Notes:Documents ./documents",
            "apphome cp Notes:Library/log.txt - | head",
            "date | apphome cp - Notes:Documents/today.txt",
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
        guard paths.contains("-") else { return }
        if paths.count > 2 || recursive {
            throw ValidationError("- is one file: it goes with one other path")
        }
        if let target = AppPath(destination), target.isFolder {
            throw ValidationError("- wants a name: \(target.app):Documents/NAME, say")
        }
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
        if sources.contains("-") { return try copyInput(to: target) }
        let client = try device.connect().showing(shown)
        for source in sources {
            let opened = try OpenedFile(source, "copy", deviceOf: client.owner)
            try refuseFolder(source, opened.isDirectory)
            guard let name = FilePath(source).lastComponent?.string else {
                throw CommandFailure("cannot copy \(source): it has no name; copy what is in it")
            }
            let isFolder = sources.count > 1 || target.isFolder
            let arguments = CopyInArguments(
                app: target.app, name: name, path: target.path, isFolder: isFolder, replacesFolders: force)
            try client.ask(.copyIn(opened.descriptor, arguments))
        }
    }

    private func copyInput(to target: AppPath) throws {
        // Before the daemon hears of this: it cuts off who says nothing for long, and a program may take any
        // time.
        let input = SharedDescriptor(try StandardInput.copy())
        let arguments = CopyInArguments(
            app: target.app, name: "", path: target.path, isFolder: false, replacesFolders: false)
        try device.connect().showing(shown).ask(.copyIn(input, arguments))
    }

    private func writeOut(_ item: AppPath) throws {
        let client = try device.connect().showing(shown)
        // Made by whom this process is by now: who may write there.
        let output = try OutputFolder()
        try client.ask(
            .copyOut(
                item.path, of: item.app, to: output.folder, as: OutputFolder.item, takesFolders: false,
                replacesFolders: false))
        // Whoever reads may take any time.
        try output.write("\(item.app):\(item.path)", willWrite: client.leaveInterrupts)
    }

    private func copyOut(_ items: [AppPath]) throws {
        if destination == "-", let item = items.first { return try writeOut(item) }
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

    /// Whether it can lead to nothing but a folder.
    var isFolder: Bool { path.isEmpty || path.hasSuffix("/") }

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

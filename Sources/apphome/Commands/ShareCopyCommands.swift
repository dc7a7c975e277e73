internal import ArgumentParser
internal import Posix
internal import SystemPackage
internal import Wire

struct ShareGetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Copies an item out; a folder with everything in it.",
        discussion: """
            It has its name there when it is complete, and not before. A name that is taken is refused \
            without --force. - as the destination writes a file's bytes to standard output.
            """,
        examples: [
            "apphome share get Notes letter.txt .",
            "apphome share get Notes Photos ~/Photos",
            "apphome share get Notes letter.txt - | head",
            "apphome share get Notes letter.txt . --from file:///srv/cloud",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: "The item.") var name: String
    @Argument(
        help: ArgumentHelp(
            "A directory to copy into, the new name, or - for standard output.", valueName: "dest"))
    var destination: String
    @Flag(help: "Replace what has the name there, a folder with all in it.") var force = false
    @OptionGroup var origin: StoreOriginOptions
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions

    func run() throws {
        if destination == "-" { return try write() }
        var paths = try device.paths()
        let target = try CopyDestination(destination, paths)
        // The daemon writes with the rights that this command has.
        try paths.becomeUser(of: target.folder)
        let store = try origin.arguments()
        try paths.connect(makesDevice: store != nil).showing(shown).ask(
            .shareGet(
                name, of: app, to: target.folder.descriptor, as: target.newName ?? name, replaces: force,
                from: store))
    }

    private func write() throws {
        let store = try origin.arguments()
        let output = try OutputPipe()
        let call = Call.shareRead(name, of: app, to: output.writer, from: store)
        try output.write(name) { try device.connect(makesDevice: store != nil).ask(call, passingOn: $0) }
    }
}

struct SharePutCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Copies files into an app's Documents.",
        discussion: """
            Each is there complete or not at all. A name that is taken is refused without --force: a file \
            takes the place of a file then, and a folder that of anything. An app that has open what was \
            replaced keeps that.
            """,
        examples: [
            "apphome share put Notes letter.txt picture.jpg",
            "apphome share put Notes -r Photos",
            "date | apphome share put Notes - --as today.txt",
            "apphome share put Notes --inbox letter.txt",
        ])

    @Argument(help: "The app's name or identifier.", completion: .apps) var app: String
    @Argument(help: ArgumentHelp("What to copy; - is standard input.", valueName: "file")) var files: [String]
    @Flag(name: .shortAndLong, help: "Copy folders, with everything in them.") var recursive = false
    @Flag(help: "Replace what has the name.") var force = false
    @Option(name: .customLong("as"), help: ArgumentHelp("Its name there.", valueName: "name"))
    var newName: String?
    @Flag(help: "As \"Open in…\": into Documents/Inbox, under a free name.") var inbox = false
    @OptionGroup var shown: ProgressOptions
    @OptionGroup var device: DeviceOptions

    func validate() throws {
        if newName != nil, files.count > 1 { throw ValidationError("--as names one file") }
        if files.contains("-"), newName == nil { throw ValidationError("- wants a name: --as NAME") }
        if inbox, recursive { throw ValidationError("--inbox takes files, and no folders") }
    }

    func run() throws {
        // Before the daemon hears of this: it cuts off who says nothing for long, and a program may take any
        // time.
        let input = files.contains("-") ? SharedDescriptor(try StandardInput.copy()) : nil
        let client = try device.connect().showing(shown)
        for file in files {
            let item = try file == "-" ? input ?? open(file, client.owner) : open(file, client.owner)
            // As it was typed: a link is put under its own name.
            guard let name = newName ?? FilePath(file).lastComponent?.string else {
                throw CommandFailure("cannot share \(file): it has no name; give one with --as NAME")
            }
            let lines = try client.ask(
                .sharePut(item, as: name, of: app, toInbox: inbox, replaces: force))
            // Where it lies is news only where the name may be another one than the file's.
            for line in inbox ? lines : Array(lines.dropFirst()) { print(printable(line)) }
        }
    }

    private func open(_ file: String, _ owner: Owner) throws -> SharedDescriptor {
        let opened = try OpenedFile(file, "share", deviceOf: owner)
        guard !opened.isDirectory || recursive else {
            throw CommandFailure("cannot share \(file): a folder; copy it with -r, or name the files")
        }
        return opened.descriptor
    }
}

internal import ArgumentParser
internal import Posix
internal import SandboxRules
internal import Wire

/// `apphome device clone`
struct DeviceCloneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone", abstract: "Makes a device with the apps and data of another.",
        discussion: """
            It is signed out: its Documents stay on it until: apphome cloud account set. Bytes are shared \
            where the file system can.
            """,
        examples: ["apphome device clone work work-2"])

    @Argument(help: ArgumentHelp("Which.", valueName: "name|path"), completion: .devices) var source: String
    @Argument(help: ArgumentHelp("A new name, or a path.", valueName: "new")) var new: String
    @OptionGroup var shown: ProgressOptions

    func run() throws {
        // Root becomes the owner first: the copy is that one's too.
        let held = try HeldDevice(DeviceLocation(source))
        let location = try DeviceLocation(new).refusedIfThere()
        let interrupt = try Interrupt()
        defer { withExtendedLifetime(interrupt) {} }
        let meter = ProgressMeter(shown.mode)
        defer { meter.end() }
        try DeviceCopy(of: held, to: location).run(interrupt, show: meter.show)
        meter.end()
        // Its daemon makes it a device of its own.
        _ = try DaemonClient.connect(to: location)
        print(printable("\(location.name) is a copy of \(held.location.name), and signed out"))
    }
}

/// `apphome device rename`
struct DeviceRenameCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename", abstract: "Gives a device another name.",
        examples: ["apphome device rename work play"])

    @Argument(help: "Its name.", completion: .devices) var name: String
    @Argument(help: "The new one.") var new: String

    func run() throws {
        guard !name.hasSlash, !new.hasSlash else {
            throw CommandFailure(
                "a device with a path of its own has no name: move its folder while it is idle")
        }
        let location = try DeviceLocation(new).refusedIfThere()
        try HeldDevice(DeviceLocation(name)).rename(to: location.name)
    }
}

/// `apphome device erase`
struct DeviceEraseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Makes a device as it was when it was new: no apps, no data, no settings.",
        examples: ["apphome device erase work --yes"])

    @Argument(help: ArgumentHelp("Which.", valueName: "name|path"), completion: .devices) var name: String
    @Flag(help: "Do not ask.") var yes = false

    func run() throws {
        let location = try DeviceLocation(name)
        try DeviceLoss(of: location).confirm("erase", isConfirmed: yes)
        let held = try HeldDevice(location)
        try held.empty()
        print(printable("\(location.name) is erased"))
    }
}

/// `apphome device delete`
struct DeviceDeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Removes a device with all its apps and data.",
        examples: ["apphome device delete work --yes"])

    @Argument(help: ArgumentHelp("Which.", valueName: "name|path"), completion: .devices) var name: String
    @Flag(help: "Do not ask.") var yes = false

    func run() throws {
        let location = try DeviceLocation(name)
        try DeviceLoss(of: location).confirm("delete", isConfirmed: yes)
        try HeldDevice(location).remove()
        DeviceIndex.forget(location.path)
        print(printable("\(location.name) is deleted"))
    }
}

/// What goes with a device.
private struct DeviceLoss {
    private let name: String
    private let apps: Int
    private let unsent: Int

    init(of location: DeviceLocation) throws {
        guard !location.isMissing else { throw location.notThere }
        name = location.name
        let client = try DaemonClient.connect(to: location)
        apps = try client.ask(.list).count { !$0.isPlaceholder }
        unsent = try client.ask(.cloudStatus(of: nil)).apps.map(\.pendingFiles).reduce(0, +)
    }

    /// - Throws: where nobody can be asked, and where the answer is not yes.
    func confirm(_ verb: String, isConfirmed: Bool) throws {
        let loss = unsent == 0 ? "" : ", and \(counted(unsent, "document")) that no other device has"
        if isConfirmed {
            if unsent > 0 { printError(printable("apphome: warning: \(counted(apps, "app")) go\(loss)")) }
            return
        }
        let losing = "\(counted(apps, "app"))\(loss)"
        try Confirmation(
            command: verb, consequence: "lose the data of \(losing)",
            question: "\(verb.capitalizedFirst) \(name), with \(losing)?", refusal: "\(name) stays as it is"
        ).ask()
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension DeviceLocation {
    /// - Throws: where a device is there already.
    func refusedIfThere() throws -> DeviceLocation {
        guard isMissing else { throw CommandFailure("there is a device \(name) already: give another name") }
        return self
    }
}

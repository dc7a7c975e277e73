internal import Device
internal import HomeFiles
internal import HomeTree
internal import Posix
internal import PropertyLists
internal import SystemPackage
internal import Wire

/// `defaults`: the property list of an app's preferences, through the app's tree, so that its mount sees a
/// change when the command returns.
struct PreferenceService: Sendable {
    let device: Device
    let views: Views
    /// Held while an app's preferences are read and written again: one after the other.
    private let reading = Lock<Void>(())

    func perform(_ request: PreferenceRequest) throws -> Answer {
        let app = try device.app(named: request.app)
        let tree = try views.take(app)
        defer { views.giveBack(app) }
        var file = PreferenceFile(tree: tree, app: app, owner: device.owner)
        return try reading.withLock { _ in
            do {
                return try file.perform(request.action)
            } catch let error as PropertyListError {
                throw CommandFailure(
                    "the preferences of \(app.name) (\(file.path)) are \(error.reason);"
                        + " see to that file, or remove it")
            } catch let errno as Errno {
                throw CommandFailure(cannot: "use \(file.path) of \(app.name)", errno)
            }
        }
    }
}

private struct PreferenceFile {
    let tree: HomeTree
    let app: InstalledApp
    let owner: Owner

    /// By the app's identifier; GNUstep's programs keep theirs by their own name.
    private(set) var name: String
    var path: String { "Library/Preferences/" + name }
    /// As a device makes it.
    private static let mode: UInt32 = 0o600

    init(tree: HomeTree, app: InstalledApp, owner: Owner) {
        (self.tree, self.app, self.owner) = (tree, app, owner)
        name = Preferences.fileName(of: app.bundleID)
    }

    mutating func perform(_ action: PreferenceRequest.Action) throws -> Answer {
        let directory = try directory()
        defer { tree.forget(directory) }
        var present = try read(name, in: directory)
        let other = app.executable.map { $0 + ".plist" }
        if present == nil, let other, other.utf8.count <= 255 {
            present = try read(other, in: directory)
            if present != nil { name = other }
        }
        var preferences = try Preferences(present?.bytes ?? [])
        switch action {
        case .read(nil): return .preference(try preferences.all())
        case .read(let key?):
            guard let value = try preferences.value(at: key) else { throw missing(key) }
            return .preference(value)
        case .write(let key, let value): preferences.set(value, at: key)
        case .delete(let key): guard preferences.remove(key) else { throw missing(key) }
        }
        let bytes = try preferences.bytes()
        try name.withFileName { (name) throws(Errno) in
            try tree.place(
                bytes, as: name, in: directory, mode: present?.mode ?? Self.mode, owner: owner)
        }
        return .done
    }

    private func read(
        _ name: String, in directory: InodeNumber
    ) throws(Errno) -> (bytes: [UInt8], mode: UInt32)? {
        try name.withFileName { (name) throws(Errno) in
            try tree.readFile(name, in: directory, limitBytes: PropertyList.sizeLimitBytes)
        }
    }

    /// Made where a restore or a person has left it out.
    private func directory() throws(Errno) -> InodeNumber {
        let library = try "Library".withFileName { (name) throws(Errno) in
            try tree.directory(name, in: tree.home, owner: owner)
        }
        defer { tree.forget(library) }
        return try "Preferences".withFileName { (name) throws(Errno) in
            try tree.directory(name, in: library, owner: owner)
        }
    }

    private func missing(_ key: String) -> CommandFailure {
        CommandFailure(
            "\(app.name) has no preference \(key.prefix(200));"
                + " see what it has: apphome defaults read \(app.name)"
        )
    }
}

internal import Device
internal import Posix
internal import SandboxFS
internal import SandboxRules
internal import SystemPackage
internal import Wire

extension Device {
    /// The app, if it shares its Documents as iTunes File Sharing asks for.
    /// - Throws: the refusal, with what a device says (house_arrest's errors).
    func sharingApp(named name: String) throws -> InstalledApp {
        // An unknown app is refused with "ApplicationLookupFailed" there.
        let app = try app(named: name)
        let keys = app.isPlaceholder ? nil : app.sharing
        if let refusal = SharingRule.refusal(for: keys) {
            throw CommandFailure(refusal.message(app: app.name))
        }
        return app
    }
}

/// iTunes File Sharing: `share ls`, `get`, `put` and `rm`.
struct SharingService: Sendable {
    let device: Device
    let views: Views
    let cloud: CloudService

    func items(of name: String) throws -> [SharedItem] {
        let app = try device.sharingApp(named: name)
        return try sharing(of: app, .list) { (sharing) throws(Errno) in
            try sharing.list().map {
                SharedItem(
                    name: $0.name, kind: $0.isDirectory ? "directory" : "file", size: $0.sizeBytes,
                    modified: Timestamp(seconds: Double($0.modified)))
            }
        }
    }

    func copyOut(_ item: String, of name: String, to target: CopyTarget, _ report: WorkMeter) throws {
        let app = try device.sharingApp(named: name)
        guard item.isItemName, target.name.isItemName else { throw noItem(item, app.name) }
        try sharing(of: app, .get(item, target)) { (sharing) throws(Errno) in
            report.totalBytes = try sharing.contentBytes(of: item)
            try target.rights.call { () throws(Errno) in
                try sharing.get(
                    item, to: target.directory.raw, as: target.name, replaces: target.replaces, owner: nil,
                    progress: report.add)
            }
        }
    }

    /// Writes a file's bytes.
    /// - Throws: what writing them answers, as it is.
    func write(_ item: String, of name: String, to output: ClientOutput) throws {
        let app = try device.sharingApp(named: name)
        guard item.isItemName else { throw noItem(item, app.name) }
        var refusal: Errno?
        do {
            try sharing(of: app, .read(item)) { (sharing) throws(Errno) in
                try sharing.read(item) { (run) throws(Errno) in
                    do throws(Errno) { try output.write(run) } catch {
                        refusal = error
                        throw error
                    }
                }
            }
        } catch { throw refusal ?? error }
    }

    /// - Returns: where it lies, from the home, and what else a person should know.
    func copyIn(
        _ source: CopySource, to name: String, toInbox: Bool, replaces: Bool, _ report: WorkMeter
    ) throws -> [String] {
        let (app, item) = (try device.sharingApp(named: name), source.name)
        if !toInbox, item == "Inbox" {
            throw CommandFailure(
                "Documents/Inbox is the system's; put files into it with: apphome share put --inbox")
        }
        // Something else has no end, perhaps, or somebody has to write it.
        let stamp = try ItemStamp(of: source.item.raw)
        guard stamp.isRegular || stamp.isDirectory && !toInbox else {
            throw CommandFailure("cannot share \(item): it is no file; name the files")
        }
        let (raw, owner) = (source.item.raw, device.owner)
        report.totalBytes = try source.bytes(stamp)
        let lines = try sharing(of: app, .put(item)) { (sharing) throws(Errno) in
            if toInbox {
                let name = try sharing.putInInbox(raw, as: item, owner: owner, progress: report.add)
                return ["Documents/Inbox/" + name]
            }
            guard stamp.isDirectory else {
                try sharing.put(raw, as: item, replaces: replaces, owner: owner, progress: report.add)
                return ["Documents/" + item]
            }
            let leftOut = try sharing.putDirectory(
                raw, as: item, replaces: replaces, reader: source.reader, owner: owner,
                progress: report.add)
            let note = "left out: \(counted(leftOut, "item")) that are no files, folders or links"
            return ["Documents/" + item] + (leftOut == 0 ? [] : [note])
        }
        views.events.record(app: app.bundleID.value, event: "share-put", path: lines.first, detail: nil)
        return lines
    }

    func remove(_ item: String, of name: String) throws {
        let app = try device.sharingApp(named: name)
        try sharing(of: app, .remove(item)) { (sharing) throws(Errno) in try sharing.remove(item) }
        let path = "Documents/" + item
        views.events.record(app: app.bundleID.value, event: "share-removed", path: path, detail: nil)
        // Where sync looks on, it saw that. What cannot be noted is a delete that it asks about.
        guard !cloud.isWatched(app), (try? cloud.syncs(app)) ?? false else { return }
        try? cloud.withSession { try $0.noteRemoval(of: item, app) }
    }

    /// What is done, for the words of an error.
    private enum Action {
        case list
        case get(String, CopyTarget)
        case read(String)
        case put(String)
        case remove(String)

        var words: (verb: String, item: String) {
            switch self {
            case .list: ("list", "")
            case .get(let item, _): ("copy", item)
            case .read(let item): ("read", item)
            case .put(let item): ("put", item)
            case .remove(let item): ("remove", item)
            }
        }
    }

    /// Runs a command on what the app shares, and says in words what went wrong.
    private func sharing<R>(
        of app: InstalledApp, _ action: Action, _ body: (FileSharing) throws(Errno) -> R
    ) throws -> R {
        do {
            return try views.withTree(of: app) { (tree) throws(Errno) in try FileSharing.with(tree, body) }
        } catch let errno as Errno {
            throw failure(errno, action, app)
        }
    }

    private func failure(_ errno: Errno, _ action: Action, _ app: InstalledApp) -> CommandFailure {
        let (verb, item) = action.words
        switch (errno, action) {
        case (.canceled, _): return CommandFailure("interrupted: nothing has changed (to \(verb) \(item))")
        case (_, .list): return CommandFailure("cannot list what \(app.name) shares: \(errno)")
        case (.fileExists, .get(_, let target)): return target.isTaken
        case (.fileExists, .put):
            return CommandFailure(
                "\(app.name) has \(item) already; put this in its place with --force, or beside it with"
                    + " --as NAME")
        case (.isDirectory, .read):
            return CommandFailure("\(item) is a folder; copy it with: apphome share get \(app.name) NAME DIR")
        case (.isDirectory, _):
            return CommandFailure(
                "\(item) is a folder there, and a file does not replace it; remove it first")
        case (.noSuchFileOrDirectory, _): return noItem(item, app.name)
        case (.invalidArgument, _):
            return CommandFailure(
                "\"\(item)\" is no name for a shared item; it begins with no dot and has no slash")
        case (.permissionDenied, _), (.notPermitted, _):
            // Also where root asks: a daemon that runs as the owner cannot be lent root's rights.
            return CommandFailure(
                "\(item): permission denied; give a destination that the device's owner may write, and"
                    + " nothing closed")
        case (.fileNameTooLong, _):
            return CommandFailure("\(item): a name is too long, or folders are nested too deeply")
        default: return CommandFailure(cannot: "\(verb) \(item)", errno)
        }
    }

    private func noItem(_ item: String, _ app: String) -> CommandFailure {
        CommandFailure("\(app) shares no \(item); see what it shares: apphome share ls \(app)")
    }
}

extension String {
    /// Whether it is the name of one item, whatever a client sends.
    var isItemName: Bool { !isEmpty && self != "." && self != ".." && !hasSlash && !utf8.contains(0) }
}
